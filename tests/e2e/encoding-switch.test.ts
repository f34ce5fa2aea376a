import { unlink } from 'node:fs/promises';
import { expect } from '@playwright/test';
import type { Performance } from '#contract/entities/performance.ts';
import { quadrants } from '#contract/quadrants.ts';
import { startGoBetween } from '#tests/support/go-between.ts';
import { registerAt, send } from './accounts.ts';
import type { EncodedLibrary } from './encoded-library.ts';
import { makeEncodedLibrary } from './encoded-library.ts';
import { isGrid, recordFronts } from './front-record.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import type { Opened } from './products.ts';
import { openProduct } from './products.ts';
import { Screencast } from './screencast.ts';
import { SignIn } from './sign-in.ts';

/** Some four seconds of the smaller encoding: what lacks data for long is loaded again. */
const heldAt = 1024 * 1024;
/** Nothing of the films is as dark as that. */
const darkest = 40;
/** Changes of the picture after which something plays. */
const some = 10;

let library: EncodedLibrary;
let opened: Opened;
/** The file of the smaller encoding, which all videos of the library have. */
let file: string;

test.beforeAll(async () => {
  library = await makeEncodedLibrary();
  opened = await openProduct(library.shelf);
  file = await library.storeGrid(opened.product);
});

test.afterAll(async () => {
  await opened.dispose();
  await library.remove();
});

test('an expanded quadrant comes to the encoding that fills it, without a gap, and the dashboard counts it', async ({
  page,
  feed,
}) => {
  const { product } = opened;
  const { access_token: token } = await registerAt(product, 'ada');
  await new SignIn(page).enterAs(product, 'ada');
  await feed.play(product.address);
  const record = await recordFronts(page);
  for (const quadrant of quadrants) expect((await record.read(quadrant)).every(isGrid)).toBe(true);
  await feed.quadrant('top-left').hover();
  await feed.clickControl('top-left', 'Unmute');
  const sound = await feed.sound('top-left');
  const screencast = await Screencast.start(page);

  await feed.clickControl('top-left', 'Expand');
  await poll(async () => (await record.better('top-left')).frames, {
    message: 'the better encoding plays',
  }).toBeGreaterThan(some);

  const frames = await record.read('top-left');
  expect(frames.filter(({ brightness }) => brightness < darkest)).toEqual([]);
  const steps = frames.slice(1).map(({ seconds }, at) => seconds - (frames[at]?.seconds ?? 0));
  expect(Math.min(...steps)).toBeGreaterThan(-0.3);
  expect(new Set(frames.map(({ videoId }) => videoId)).size).toBe(1);
  expect(await feed.sound('top-left')).toEqual(sound);
  const colours = await screencast.colours([
    [0.2, 0.3],
    [0.4, 0.4],
  ]);
  expect(colours.filter((points) => points.every((point) => Math.max(...point) < darkest))).toEqual([]);
  // The players are sampled once a second; who leaves tells what was not told yet.
  await poll(async () => (await record.better('top-left')).seconds, {
    message: 'the better encoding was sampled',
  }).toBeGreaterThan(2);
  // Chromium gives a page that is left for another site half a second to say its last words.
  await page.goto(`${product.address}/robots.txt`);
  const countAdjustments = async () => {
    const { metrics } = await send<Performance>(product, 'GET', '/api/optimization/performance/all', token);
    return metrics?.qualityAdjustments ?? 0;
  };
  await poll(countAdjustments, { message: 'the adjustment is counted' }).toBeGreaterThan(0);
});

test('where the file of an encoding is gone, the same videos go on at their second from another address', async ({
  page,
  feed,
  endings,
}) => {
  const between = await startGoBetween(opened.product.address);
  endings.push(() => between.close());
  between.interfere((path) => (isGrid({ address: path }) ? { holdAfterBytes: heldAt } : null));
  await feed.play(between.address);
  await feed.quadrant('top-left').hover();
  await feed.clickControl('top-left', 'Pin');
  const before = await feed.look();
  const record = await recordFronts(page);

  await unlink(file);
  await poll(() => between.countHeld(), { message: 'answers that stand still' }).toBe(quadrants.length);
  expect(between.cutHeld()).toHaveLength(quadrants.length);

  for (const quadrant of quadrants) {
    await poll(async () => (await record.better(quadrant)).frames, { message: `${quadrant} goes on` }).toBeGreaterThan(
      some,
    );
    const frames = await record.read(quadrant);
    const last = frames.filter(isGrid).at(-1);
    const first = frames.find((frame) => !isGrid(frame));
    if (!last || !first) throw new Error(`${quadrant} has shown too little`);
    const pause = (first.shownAt - last.shownAt) / 1000;
    expect(first.seconds).toBeGreaterThan(last.seconds - 1);
    expect(first.seconds).toBeLessThan(last.seconds + pause + 1);
    expect(new Set(frames.map(({ videoId }) => videoId))).toEqual(new Set([before[quadrant].videoId]));
    expect(frames.filter(({ text }) => text.includes('error'))).toEqual([]);
  }
  await feed.waitUntilAllAdvance();
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-pinned', 'true');
});
