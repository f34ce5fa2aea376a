import { expect } from '@playwright/test';
import { test } from '../journey.ts';

test('with keys alone a TV plays the four by OK and skips a video', async ({ page, feed }) => {
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await expect(feed.start).toBeFocused();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();

  const before = await feed.look();
  await feed.focusByTab(/^skip/i);
  await page.keyboard.press('Enter');

  await feed.waitForOtherVideo('top-left', before['top-left'].videoId);
  await feed.waitUntilAllAdvance();
});
