import { expect } from '@playwright/test';
import { test } from '../journey.ts';

test('on the feed of a phone the bar comes with the controls and goes with them', async ({ page, feed }) => {
  await feed.open();
  await feed.waitForStills();
  await feed.start.tap();
  await feed.waitUntilAllAdvance();
  const bar = page.getByRole('navigation', { name: 'Menu' });
  await feed.quadrant('top-right').tap({ position: { x: 90, y: 120 } });
  await expect(bar).toBeVisible();
  await expect(bar.getByRole('button')).toHaveText(['Feed', 'Videos', 'Profile']);
  await expect(bar.getByRole('button', { name: 'Feed' })).toHaveAttribute('aria-current', 'page');
  await expect(bar).toBeHidden();
});

test('held sideways, the bar is a rail at the left', async ({ page }) => {
  await page.setViewportSize({ width: 844, height: 390 });
  await page.goto('/?view=profile');
  const bar = page.getByRole('navigation', { name: 'Menu' });
  await expect(bar).toBeVisible();
  expect(await bar.boundingBox()).toMatchObject({ x: 0, y: 0, width: 76, height: 390 });
  const title = await page.getByRole('heading', { level: 1 }).boundingBox();
  expect(title?.x).toBeGreaterThan(76);
});
