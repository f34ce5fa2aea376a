import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expectInWindow } from '../in-window.ts';
import { test } from '../journey.ts';

test('a phone has no accessibility fault: a view with the bar, the feed with bar and dock, and without a network', async ({
  page,
  context,
  feed,
}) => {
  await page.goto('/?view=profile');
  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
  await expectAccessible(page);

  await feed.open();
  await feed.waitForStills();
  await feed.start.tap();
  await feed.waitUntilAllAdvance();
  await feed.quadrant('top-left').tap({ position: { x: 90, y: 120 } });
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
  await expectAccessible(page);
  await context.setOffline(true);
  await expectInWindow(page.getByText(/^You are offline/));
  await expectAccessible(page);
});
