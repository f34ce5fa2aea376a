import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { answerFirst } from './answer-first.ts';
import { asking } from './feed.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

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

test('details, reports, duplicates and settings have no accessibility fault: empty, failed, and while they are edited', async ({
  page,
  desk,
}) => {
  await new SignIn(page).enterAs(desk, 'first');
  const { id } = await (await page.request.get(`${desk.address}/api/video/top-left`)).json();
  await answerFirst(page, '**/details', { status: 500, json: { error: 'internal_error', message: 'No' } });
  await page.goto(`${desk.address}/?video=${id}`);
  await page.getByRole('button', { name: 'Details' }).click();
  const details = page.getByRole('dialog').last();
  await expect(details.getByRole('button', { name: 'Retry' })).toBeVisible();
  await expectAccessible(page);
  await details.getByRole('button', { name: 'Retry' }).click();
  await expect(details).toContainText('File name');
  await expectAccessible(page);
  await details.getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByRole('textbox', { name: /^Title/ })).toBeVisible();
  await expectAccessible(page);

  await page.goto(`${desk.address}/?view=admin`);
  await openSection(page, 'Library');
  await expect(page.getByText('No video is reported.')).toBeVisible();
  await expectAccessible(page);
  for (const [section, address, words] of [
    ['Duplicates', '**/api/admin/duplicates*', 'No search has come to its end yet.'],
    ['Settings', '**/api/admin/settings', 'Switch interval in seconds'],
  ] as const) {
    await answerFirst(page, address, { status: 500, json: { error: 'internal_error', message: 'No' } });
    await openSection(page, section);
    const again = page.getByRole('button', { name: 'Retry' });
    await expect(again).toBeVisible();
    await expectAccessible(page);
    await again.click();
    await expect(page.getByText(words).first()).toBeVisible();
    await expectAccessible(page);
  }
});

const openSection = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name }).click();
