import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { answerFirst } from './answer-first.ts';
import { asking } from './feed.ts';
import { test } from './journey.ts';

test('the first screen and the playing feed have no accessibility fault, at rest and with its controls', async ({
  feed,
  page,
}) => {
  await feed.open();
  await feed.waitForStills();
  await expectAccessible(page);
  await feed.start.click();
  await feed.waitUntilAllAdvance();
  await feed.waitForRest();
  await expectAccessible(page);

  await feed.quadrant('top-left').hover();

  await expect(feed.quadrant('top-left').getByRole('button', { name: 'Skip', exact: true })).toBeVisible();
  await expectAccessible(page);
});

test('the feed with its menu open, and a dialog over it, have no accessibility fault', async ({ feed, page }) => {
  await answerFirst(page, '**/api/video/top-left*', {
    status: 401,
    json: { error: 'auth_required', message: 'Sign in' },
  });
  await feed.open(asking());
  await expect(page.getByRole('dialog', { name: 'Sign In' })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Sign In' })).toBeHidden();
  await page.mouse.move(5, 300);
  await expect(page.getByRole('navigation', { name: 'Menu', exact: true })).toBeVisible();
  await expectAccessible(page);
});
