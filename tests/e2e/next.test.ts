import type { Request, Route } from '@playwright/test';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { withoutRepeats } from './hues.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

test('someone skips one quadrant by its button, and the other three play on', async ({ feed }) => {
  await feed.play();
  await feed.loopVideos();
  const before = await feed.look();

  await feed.quadrant('top-right').hover();
  await feed.clickControl('top-right', 'Skip');

  await feed.waitForOtherVideo('top-right', before['top-right'].videoId);
  await feed.waitUntilAllAdvance();
  const after = await feed.look();
  for (const other of quadrants.filter((quadrant) => quadrant !== 'top-right'))
    expect(after[other].videoId).toBe(before[other].videoId);
  expect(new Set(Object.values(after).map(({ videoId }) => videoId)).size).toBe(4);
});

test('with a keyboard alone someone starts the four and skips', async ({ feed, page }) => {
  await feed.open();
  await feed.waitForStills();
  await expect(feed.start).toBeFocused();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  const before = await feed.look();

  await feed.focusByTab(/^skip$/i);
  const quadrant = await feed.focusedQuadrant();
  await page.keyboard.press('Enter');
  await feed.waitForOtherVideo(quadrant, before[quadrant].videoId);

  const skipped = await feed.look();
  await page.keyboard.press('MediaTrackNext');
  await feed.waitForOtherVideo(quadrant, skipped[quadrant].videoId);
  await feed.waitUntilAllAdvance();
});

test('whoever skips five times in a row sees the last video alone, however late the others are answered, and no request is left behind', async ({
  feed,
  page,
  scarce,
}) => {
  // None is prepared: each skip has to ask.
  await feed.play(scarce.address);
  const pending = new Set<Request>();
  page.on('request', (request) => request.url().includes('/api/video/') && pending.add(request));
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => pending.delete(request));
  const held: Route[] = [];
  await page.route('**/api/video/bottom-left?*', (route) => void held.push(route));
  const shown = await feed.recordVideos('bottom-left');

  await feed.quadrant('bottom-left').hover();
  // A question that is given up before it has left the browser would never be held.
  for (let presses = 1; presses <= 5; presses += 1) {
    await feed.clickControl('bottom-left', 'Skip');
    await poll(() => held.length, { message: 'each skip asks' }).toBe(presses);
  }

  const last = held.pop()!;
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request() === last.request()),
    last.continue(),
  ]);
  const { id } = (await answer.json()) as { id: string };
  await expect(feed.quadrant('bottom-left')).toHaveAttribute('data-video-id', id);
  for (const late of held) await late.continue();
  await feed.waitUntilAllAdvance();

  expect(withoutRepeats(await shown()).slice(1)).toEqual([id]);
  await poll(() => [...pending].map((request) => request.url()), { message: 'nothing is being loaded' }).toEqual([]);
});

test('at the end of a video the next one comes by itself', async ({ feed, brief }) => {
  await feed.play(brief.address);
  const before = await feed.look();
  for (const quadrant of quadrants) await feed.waitForOtherVideo(quadrant, before[quadrant].videoId);
  await feed.waitUntilAllAdvance();
});
