import { expect } from '@playwright/test';
import { test } from '../journey.ts';

test('with a remote the menu opens by Left at the left edge, goes round, and closes by Back or Right, which lead to the same quadrant', async ({
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
});

test('the Menu key opens the menu and nothing else, also before the code of keys has loaded', async ({
  page,
  feed,
}) => {
  let letFileCome = () => {};
  const fileMayCome = new Promise<void>((resolve) => {
    letFileCome = resolve;
  });
  await page.route('**/assets/watching*.js', async (route) => {
    await fileMayCome;
    await route.continue();
  });
  await feed.open('/?form=tv');
  await feed.waitForStills();
  await page.keyboard.press('Enter');
  await feed.waitUntilAllAdvance();
  const menu = page.getByRole('navigation', { name: 'Menu' });

  await page.keyboard.press('ContextMenu');
  letFileCome();
  await expect(menu.getByRole('button', { name: 'Feed' })).toBeFocused();
  await page.keyboard.press('ContextMenu');
  await expect(menu).toBeHidden();

  await feed.walkToControl('top-left', 'More');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
