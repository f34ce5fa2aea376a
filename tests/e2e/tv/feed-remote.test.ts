import { expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { Feed } from '../feed.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';

const here: Quadrant = 'top-right';

for (const [width, height] of [
  [1920, 1080],
  [960, 540],
] as const) {
  test.describe(`${width}×${height}`, () => {
    test.use({ viewport: { width, height } });

    test(`by arrows and OK alone, on a TV of ${width}×${height}, every control of a quadrant is reached and does its work`, async ({
      feed,
      page,
    }) => {
      const press = (key: string) => page.keyboard.press(key);
      await start(feed);
      const { videoId } = (await feed.look())[here];
      await expect(feed.quadrant('top-left')).toBeFocused();
      await press('ArrowRight');
      await expect(feed.quadrant(here)).toBeFocused();
      await expect(feed.control(here, 'Skip')).toBeHidden();
      expect(await feed.marksOutsideSafeArea()).toEqual([]);

      await feed.enterControls(here);
      await expect(feed.control(here, 'Skip')).toBeFocused();
      expect(await feed.marksOutsideSafeArea()).toEqual([]);
      await feed.walkToControl(here, 'Pin');
      await press('Enter');
      await expect(feed.quadrant(here)).toHaveAttribute('data-pinned', 'true');
      await press('Enter');
      await expect(feed.quadrant(here)).toHaveAttribute('data-pinned', 'false');

      await feed.walkToControl(here, 'Expand');
      await press('Enter');
      await poll(async () => (await feed.quadrant(here).boundingBox())?.width).toBe(width);
      await page.goBack();
      await expect(feed.quadrant(here)).toHaveAttribute('data-expanded', 'false');
      await expect(feed.control(here, 'Expand')).toBeFocused();

      await feed.walkToControl(here, 'Unmute');
      await press('Enter');
      await poll(() => feed.sound(here)).toEqual({ muted: false, volume: 1 });
      await feed.walkToControl(here, 'Volume');
      await press('Enter');
      await press('ArrowLeft');
      await press('ArrowDown');
      await poll(() => feed.sound(here)).toEqual({ muted: false, volume: 0.9 });

      await press('ArrowUp');
      await expect(feed.control(here, 'Seek')).toBeFocused();
      await poll(async () => (await feed.look())[here].time).toBeGreaterThan(1);
      await press('ArrowLeft');
      await poll(async () => (await feed.look())[here].time).toBeLessThan(1);

      await press('ArrowDown');
      await feed.walkToControl(here, 'Skip', 'ArrowLeft');
      await press('Enter');
      await feed.waitForOtherVideo(here, videoId);
      await page.goBack();
      await expect(feed.quadrant(here)).toBeFocused();
    });
  });
}

test('what a control opened stays when the controls have faded, and Back closes it', async ({ feed, page }) => {
  await page.clock.install();
  await start(feed);
  const section = feed.quadrant('top-left');
  await feed.walkToControl('top-left', 'Expand');
  await page.keyboard.press('Enter');
  await expect(section).toHaveAttribute('data-expanded', 'true');
  await page.clock.fastForward(limits.controlsHideByKeyMs);
  await expect(section).not.toHaveAttribute('data-entered', 'true');
  await expect(section).toHaveAttribute('data-expanded', 'true');
  await page.goBack();
  await expect(section).toHaveAttribute('data-expanded', 'false');
  await expect(section).toBeFocused();

  await feed.walkToControl('top-left', 'More');
  await page.keyboard.press('Enter');
  await feed.walkTo(page.getByRole('button', { name: 'Details' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog').filter({ hasText: 'Recorded' });
  await expect(dialog).toBeVisible();
  await page.clock.fastForward(limits.controlsHideByKeyMs);
  await expect(dialog).toBeVisible();
  await page.goBack();
  await expect(dialog).toHaveCount(0);
  await expect(feed.control('top-left', 'More')).toBeFocused();
});

test('a colour key leads to its quadrant, which keeps the ring while a letter key acts on another, and the next key skips there', async ({
  feed,
  page,
}) => {
  await start(feed);
  const before = (await feed.look())['bottom-left'].videoId;

  // Playwright knows no colour keys.
  await page.evaluate(() =>
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ColorF2Yellow', bubbles: true })),
  );
  await expect(feed.quadrant('bottom-left')).toBeFocused();
  await page.keyboard.press('s');
  await expect(feed.quadrant('top-right')).toHaveAttribute('data-active', 'true');
  expect(await feed.ringed()).toEqual(['bottom-left']);
  await page.keyboard.press('MediaTrackNext');

  await feed.waitForOtherVideo('bottom-left', before);
});

async function start(feed: Feed): Promise<void> {
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await expect(feed.start).toBeFocused();
  await feed.page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
}
