import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { fixtureOf, withoutRepeats } from './hues.ts';
import { test } from './journey.ts';
import type { Point } from './screencast.ts';
import { Screencast } from './screencast.ts';

/** A point of each quadrant where neither a message nor a control stands. */
const points: Point[] = [
  [0.15, 0.16],
  [0.65, 0.16],
  [0.15, 0.66],
  [0.65, 0.66],
];

test('at eight swaps no frame is black, and no older video comes back', async ({ feed, page }) => {
  const given = new Map<string, string[]>(quadrants.map((quadrant) => [quadrant, []]));
  page.on('response', async (response) => {
    const quadrant = /\/api\/video\/([a-z]+-[a-z]+)/.exec(response.url())?.[1];
    if (quadrant === undefined) return;
    const { filename } = (await response.json()) as { filename: string };
    given.get(quadrant)?.push(filename.replace('.mp4', ''));
  });
  await feed.play();
  await page.mouse.move(720, 440);
  const screencast = await Screencast.start(page);

  for (const quadrant of [...quadrants, ...quadrants]) {
    const { videoId } = (await feed.look())[quadrant];
    await feed.skipByKey(quadrant);
    await feed.waitForOtherVideo(quadrant, videoId);
  }
  await feed.waitUntilAllAdvance();

  const frames = await screencast.colours(points);
  expect(frames.length).toBeGreaterThan(16);
  quadrants.forEach((quadrant, at) => {
    const seen = withoutRepeats(frames.map((colours) => fixtureOf(colours[at] ?? [0, 0, 0])));
    expect(seen, `${quadrant} shows nothing but its videos`).not.toContain(null);
    const order = seen.map((fixture) => given.get(quadrant)?.indexOf(fixture ?? ''));
    expect(order, `${quadrant} shows them in the order in which it was given them`).toEqual([...order].sort((a = 0, b = 0) => a - b));
    expect(seen.length, `${quadrant} has changed twice`).toBe(3);
  });
});
