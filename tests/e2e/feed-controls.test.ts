import type { Locator } from '@playwright/test';
import { expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

test('by mouse someone pins, unpins, mutes, changes the volume, seeks, skips on and back', async ({ feed, page }) => {
  await feed.play();
  await feed.loopVideos();
  const here: Quadrant = 'top-left';
  const first = (await feed.look())[here].videoId;
  await feed.quadrant(here).hover({ position: { x: 200, y: 120 } });

  await feed.clickControl(here, 'Pin');
  await expect(feed.quadrant(here)).toHaveAttribute('data-pinned', 'true');
  await expect(feed.control(here, 'Skip')).toHaveAttribute('aria-disabled', 'true');
  await feed.clickControl(here, 'Unpin');
  await expect(feed.quadrant(here)).toHaveAttribute('data-pinned', 'false');

  await feed.clickControl(here, 'Unmute');
  await poll(() => feed.sound(here)).toEqual({ muted: false, volume: 1 });
  await feed.hoverControl(here, 'Volume');
  await clickAt(feed.control(here, 'Volume'), 0.3);
  await poll(() => feed.sound(here)).toEqual({ muted: false, volume: 0.3 });
  await feed.clickControl(here, 'Mute');
  await poll(() => feed.sound(here)).toEqual({ muted: true, volume: 0.3 });

  await feed.hoverControl(here, 'Seek');
  await clickAt(feed.control(here, 'Seek'), 0.5);
  const length = await feed
    .quadrant(here)
    .locator('video[data-layer="front"]')
    .evaluate(({ duration }: HTMLVideoElement) => duration);
  await poll(async () => (await feed.look())[here].time / length).toBeGreaterThan(0.45);
  await feed.clickControl(here, 'Seek back 1 minute');
  await poll(async () => (await feed.look())[here].time / length).toBeLessThan(0.4);

  await feed.clickControl(here, 'Skip');
  await feed.waitForOtherVideo(here, first);
  await feed.clickControl(here, 'Skip back');
  await expect(feed.quadrant(here)).toHaveAttribute('data-video-id', first);
  await expectAccessible(page);
});

test('skip shows the prepared video although no question is answered any more', async ({ feed, page }) => {
  await feed.play();
  await feed.waitForPrepared('top-left');
  const before = await feed.look();
  await page.route('**/api/video/top-left*', () => {});

  await feed.skipByKey('top-left');

  await feed.waitForOtherVideo('top-left', before['top-left'].videoId);
  expect(new Set(Object.values(await feed.look()).map(({ videoId }) => videoId)).size).toBe(4);
});

test('someone expands a quadrant by double click and comes back by Back, or by a button and Escape; the other three rest meanwhile', async ({
  feed,
  page,
}) => {
  await page.clock.install();
  await feed.play();
  const box = page.viewportSize();
  await feed.quadrant('bottom-right').dblclick({ position: { x: 200, y: 120 } });
  await poll(async () => (await feed.quadrant('bottom-right').boundingBox())?.width).toBe(box?.width);
  await page.clock.fastForward(limits.pauseOthersWhenExpandedSeconds * 1000);
  const isPaused = (quadrant: Quadrant) =>
    feed
      .quadrant(quadrant)
      .locator('video[data-layer="front"]')
      .evaluate(({ paused }: HTMLVideoElement) => paused);
  await poll(async () => Promise.all(quadrants.map(isPaused))).toEqual([true, true, true, false]);

  await page.goBack();

  await poll(async () => (await feed.quadrant('bottom-right').boundingBox())?.width).toBeLessThan(
    (box?.width ?? 0) / 2 + 1,
  );
  await feed.waitUntilAllAdvance();

  await feed.quadrant('top-left').hover({ position: { x: 200, y: 120 } });
  await feed.clickControl('top-left', 'Expand');
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-expanded', 'true');
  await page.keyboard.press('Escape');
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-expanded', 'false');
});

test('by keyboard alone someone pins with Z, lets sound with S, seeks with E, and reads the statistics with I', async ({
  feed,
  page,
}) => {
  await feed.play();
  await page.keyboard.press('z');
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-pinned', 'true');
  await page.keyboard.press('s');
  await poll(() => feed.sound('top-right')).toEqual({ muted: false, volume: 1 });
  await poll(async () => (await feed.look())['bottom-left'].time).toBeGreaterThan(0.5);
  await page.keyboard.press('e');
  await poll(async () => (await feed.look())['bottom-left'].time).toBeLessThan(0.4);

  await page.keyboard.press('i');
  await expect(page.getByRole('complementary', { name: 'Statistics' })).toContainText('Quadrant Details');
  await expect(page.getByRole('complementary', { name: 'Statistics' })).toContainText('Complete');
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByRole('complementary', { name: 'Statistics' })).toBeVisible();
});

test('four pins draw the diamond of the logo, and outlast the end of their videos', async ({ feed, page, brief }) => {
  await feed.play(brief.address);
  for (const key of 'zxcv') await page.keyboard.press(key);
  const before = await feed.look();
  await expect(page.locator('section[data-pinned="true"]')).toHaveCount(4);
  // A loop: the time comes back to the start.
  for (const quadrant of quadrants) await poll(async () => (await feed.look())[quadrant].time).toBeGreaterThan(2.2);
  for (const quadrant of quadrants) await poll(async () => (await feed.look())[quadrant].time).toBeLessThan(1.5);
  const after = await feed.look();
  expect(quadrants.map((quadrant) => after[quadrant].videoId)).toEqual(
    quadrants.map((quadrant) => before[quadrant].videoId),
  );
});

test('the counts are asked for while the feed plays, and an unchanged answer comes without its body', async ({
  feed,
  page,
}) => {
  const asked = page.waitForRequest('**/api/status');
  await feed.play();
  await asked;
  const bytes = await page.evaluate(async () => {
    const ask = async (address: string, cache: RequestCache) => {
      await (await fetch(address, { cache })).text();
      const entries = performance.getEntriesByName(new URL(address, location.href).href) as PerformanceResourceTiming[];
      return entries[entries.length - 1]?.transferSize ?? 0;
    };
    return { first: await ask('/api/status', 'reload'), second: await ask('/api/status', 'default') };
  });
  expect(bytes.second).toBeGreaterThan(0);
  expect(bytes.second).toBeLessThan(bytes.first);
});

async function clickAt(slider: Locator, part: number): Promise<void> {
  const box = await slider.boundingBox();
  await slider.click({ position: { x: (box?.width ?? 0) * part, y: (box?.height ?? 0) / 2 } });
}
