import { expect } from '@playwright/test';
import { test } from '../journey.ts';

test('with arrows and OK alone a TV plays the four and skips a video', async ({ page, feed }) => {
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await expect(feed.start).toBeFocused();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();

  const before = await feed.look();
  await page.keyboard.press('ArrowDown');
  await expect(feed.quadrant('top-left')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(feed.control('top-left', 'Skip')).toBeFocused();
  await page.keyboard.press('Enter');

  await feed.waitForOtherVideo('top-left', before['top-left'].videoId);
  await feed.waitUntilAllAdvance();
});
