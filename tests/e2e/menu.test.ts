import { expect } from '@playwright/test';
import { test } from './journey.ts';

test('with a mouse the menu comes near the left edge, and leaves beyond 220 px', async ({ page, feed }) => {
  await feed.play();
  const menu = page.getByRole('navigation', { name: 'Menu', exact: true });
  await page.mouse.move(11, 400);
  await expect(menu).toBeHidden();
  await page.mouse.move(9, 400);
  await expect(menu).toBeVisible();
  await expect(menu.getByText('Anonymous User')).toBeVisible();
  await expect(menu.getByText('Basic Tier')).toBeVisible();
  await expect(menu.getByText('Hover to navigate')).toBeVisible();
  await expect(menu.getByRole('listitem')).toHaveText(['Feed', 'Videos', 'Profile']);
  await expect(menu.getByRole('button', { name: 'Feed' })).toHaveAttribute('aria-current', 'page');
  await page.mouse.move(230, 400);
  await expect(menu).toBeHidden();
});

test('with the Tab key the tab at the edge opens the menu, Tab goes round in it, Escape gives the focus back', async ({
  page,
  feed,
}) => {
  await feed.play();
  const menu = page.getByRole('navigation', { name: 'Menu', exact: true });
  await feed.quadrant('bottom-right').focus();
  const tab = page.getByRole('button', { name: 'Menu', exact: true });
  while ((await tab.and(page.locator(':focus')).count()) === 0) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(menu.getByRole('button', { name: 'Feed' })).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(menu.getByRole('button', { name: /View Subscription Plans/ })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(menu.getByRole('button', { name: 'Feed' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(page.locator('section[data-quadrant] :focus, section[data-quadrant]:focus, button:focus')).toHaveCount(
    1,
  );
});

test('the first stop of Tab leads past the menu', async ({ page }) => {
  await page.goto('/?view=profile');
  await page.getByRole('button', { name: 'View Subscription Plans' }).waitFor();
  await page.getByRole('button', { name: 'Skip to content' }).focus();
  await expect(page.getByRole('button', { name: 'Skip to content' })).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.locator('main :focus')).toHaveCount(1);
});

test.describe('on a tablet', () => {
  test.use({ viewport: { width: 1180, height: 820 }, hasTouch: true });

  test('a touch at the left edge opens the menu, and one beside it closes it', async ({ page, feed }) => {
    await feed.open('/?form=tablet');
    await feed.waitForStills();
    await feed.start.tap();
    await feed.waitUntilAllAdvance();
    const menu = page.getByRole('navigation', { name: 'Menu', exact: true });
    await page.touchscreen.tap(4, 500);
    await expect(menu).toBeVisible();
    await page.touchscreen.tap(700, 500);
    await expect(menu).toBeHidden();
    await feed.quadrant('top-left').tap({ position: { x: 300, y: 150 } });
    await page.getByRole('button', { name: 'Menu', exact: true }).tap();
    await menu.getByRole('button', { name: 'Profile' }).tap();
    await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  });
});
