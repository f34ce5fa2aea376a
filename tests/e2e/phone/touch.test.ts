import { expect } from '@playwright/test';
import { test } from '../journey.ts';

test('a phone plays the four with one tap and skips with another', async ({ page, feed }) => {
  await feed.open();
  await feed.waitForStills();
  await feed.start.tap();
  await feed.waitUntilAllAdvance();

  const before = await feed.look();
  await feed.quadrant('bottom-left').tap({ position: { x: 40, y: 120 } });
  await page.getByRole('button', { name: 'Skip', exact: true }).filter({ visible: true }).tap();

  await feed.waitForOtherVideo('bottom-left', before['bottom-left'].videoId);
  await feed.waitUntilAllAdvance();
  const after = await feed.look();
  expect(after['top-left'].videoId).toBe(before['top-left'].videoId);
});
