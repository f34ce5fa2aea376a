import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { expect } from '@playwright/test';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';
import { encodingLimitMs } from './long-avi.ts';
import { poll } from './poll.ts';

const names = ['one.mp4', 'two.mp4', 'three.mp4', 'four.mp4', 'five.mp4'];

/** Each question decodes the whole file. */
const patient = { timeout: encodingLimitMs, intervals: [1_000] };

/** A film, long enough to not begin again meanwhile, whose English track is a tone and whose German one is silent. */
function makeFilm(file: string): string {
  const sources = ['testsrc2=s=320x180:r=10:d=180', 'sine=d=180', 'anullsrc=d=180'];
  return makeWithFfmpeg(
    file,
    ...sources.flatMap((source) => ['-f', 'lavfi', '-i', source]),
    ...['-map', '0:v', '-map', '1:a', '-map', '2:a', '-t', '180', '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-g', '20', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-movflags', '+faststart'],
    ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu'],
  );
}

test('someone chooses another audio track by mouse, and by remote: it is made while the video plays, and then heard from its second on', async ({
  page,
  feed,
  openProduct,
  endings,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-audio-'));
  endings.push(() => rm(folder, { recursive: true }));
  const film = makeFilm(join(folder, 'film.mp4'));
  const files = Object.fromEntries(names.map((name) => [name, film]));
  const { address } = await openProduct({ files }, { FFMPEG_PATH: '' });
  await feed.play(address);
  const here = feed.quadrant('top-left');
  const front = here.locator('video[data-layer="front"]');
  await here.hover();
  await feed.clickControl('top-left', 'Pin');
  expect(await loudest(front)).toBeGreaterThan(0.05);

  await here.click({ button: 'right', position: { x: 200, y: 120 } });
  await page.getByRole('button', { name: 'Audio', exact: true }).click();
  await expect(page.getByRole('radio')).toHaveText(['English', 'German']);
  await expectAccessible(page);
  const before = await secondOf(front);
  await page.getByRole('radio', { name: 'German' }).click();
  await poll(() => loudest(front), { message: 'the other track plays', ...patient }).toBe(0);
  expect(await secondOf(front)).toBeGreaterThan(before);

  await here.click({ button: 'right', position: { x: 200, y: 120 } });
  await page.getByRole('button', { name: 'Audio', exact: true }).click();
  // The language that was chosen comes first.
  await expect(page.getByRole('radio')).toHaveText(['German', 'English']);
  await page.getByRole('radio', { name: 'English' }).click();
  await poll(() => loudest(front), { message: 'the first track is back', ...patient }).toBeGreaterThan(0.05);

  // The same by the arrows of a remote.
  await feed.open(`${address}/?form=tv`);
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  await feed.walkToControl('top-left', 'Pin');
  await page.keyboard.press('Enter');
  await feed.walkToControl('top-left', 'More');
  await page.keyboard.press('Enter');
  const menu = page.getByRole('dialog', { name: 'Top left', exact: true });
  await feed.walkTo(menu.getByRole('button', { name: 'Audio', exact: true }), 'ArrowDown');
  await page.keyboard.press('Enter');
  await feed.walkTo(page.getByRole('radio', { name: 'German' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await poll(() => loudest(front), { message: 'the other track plays', ...patient }).toBe(0);
});

const secondOf = (front: Locator) => front.evaluate(({ currentTime }: HTMLVideoElement) => currentTime);

/** The largest value of the sound in the file that plays. */
function loudest(front: Locator): Promise<number> {
  return front.evaluate(async ({ currentSrc }: HTMLVideoElement) => {
    const bytes = await (await fetch(currentSrc)).arrayBuffer();
    const sound = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes);
    return sound.getChannelData(0).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  });
}
