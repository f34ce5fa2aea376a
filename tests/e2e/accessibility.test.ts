import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';

test('the first screen has no accessibility fault', async ({ feed, page }) => {
  await feed.open();
  await feed.waitForStills();
  await expectAccessible(page);
});

test('the playing feed has no accessibility fault, at rest and with its controls', async ({ feed, page }) => {
  await feed.play();
  await feed.waitForRest();
  await expectAccessible(page);

  await feed.quadrant('top-left').hover();

  await expect(feed.quadrant('top-left').getByRole('button', { name: /^skip/i })).toBeVisible();
  await expectAccessible(page);
});

test('a view that is being built has no accessibility fault', async ({ page }) => {
  await page.goto('/?view=profile');
  await expect(page.getByText('This part is being built.')).toBeVisible();
  await expectAccessible(page);
});
