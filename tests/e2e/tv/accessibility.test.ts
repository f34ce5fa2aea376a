import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';

test('a TV has no accessibility fault: the feed with its ring, its controls, its menu', async ({ page, feed }) => {
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  await page.keyboard.press('ArrowDown');
  await expectAccessible(page);
  await feed.enterControls('bottom-left');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ContextMenu');
  await expect(page.getByRole('navigation', { name: 'Menu' }).locator(':focus')).toHaveCount(1);
  await expectAccessible(page);
});
