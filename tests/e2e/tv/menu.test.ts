import { expect } from '@playwright/test';
import { test } from '../journey.ts';

test('with a remote the menu opens by Left at the left edge, goes round, and closes by Back, Right or a choice; Back from there leads to the same quadrant', async ({
  page,
  feed,
}) => {
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  await feed.quadrant('top-right').focus();
  const menu = page.getByRole('navigation', { name: 'Menu' });

  await page.keyboard.press('ArrowLeft');
  await expect(feed.quadrant('top-left')).toBeFocused();
  await expect(menu).toBeHidden();
  await page.keyboard.press('ArrowLeft');
  await expect(menu.getByRole('button', { name: 'Feed' })).toBeFocused();
  await expect(menu.getByText('Press Back to close')).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await expect(menu.getByRole('button', { name: /View Subscription Plans/ })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(menu.getByRole('button', { name: 'Feed' })).toBeFocused();

  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(feed.quadrant('top-left')).toBeFocused();

  await page.keyboard.press('ArrowLeft');
  await expect(menu).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(menu).toBeHidden();
  await expect(feed.quadrant('top-left')).toBeFocused();

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  await expect(menu.getByRole('button', { name: 'Feed' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  await expect(menu).toBeHidden();
  await expect(page.locator('main :focus')).toHaveCount(1);

  await page.keyboard.press('Escape');
  await feed.waitUntilAllAdvance();
  await expect(feed.quadrant('bottom-left')).toBeFocused();
});
