import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import { expectAccessible, expectAccessibleFaces } from './accessible.ts';
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

test('details, reports, duplicates and settings have no accessibility fault: loading, failed, without a network, empty, and while they are edited', async ({
  page,
  context,
  desk,
}) => {
  await new SignIn(page).enterAs(desk, 'first');
  const { id } = await (await page.request.get(`${desk.address}/api/video/top-left`)).json();
  await page.goto(`${desk.address}/?video=${id}`);
  const details = page.getByRole('dialog').last();
  await expectAccessibleFaces(page, {
    part: details,
    address: '**/api/videos/*/details',
    open: () => page.getByRole('button', { name: 'Details' }).click(),
    failed: 'Failed to load details: ',
  });
  await expect(details).toContainText('File name');
  await expectAccessible(page);
  await details.getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByRole('textbox', { name: /^Title/ })).toBeVisible();
  await expectAccessible(page);
  await context.setOffline(true);
  await expect(details).toContainText('Needs a connection');
  await expectAccessible(page);
  await context.setOffline(false);

  await page.goto(`${desk.address}/?view=admin`);
  for (const [section, address, failed, words] of [
    [
      'Library',
      `**/api/admin/reports?page=1&limit=${limits.reportsPerPage}`,
      'Failed to load the reports: ',
      'No video is reported.',
    ],
    ['Duplicates', '**/api/admin/duplicates*', 'Failed to load duplicates: ', 'No search has come to its end yet.'],
    ['Settings', '**/api/admin/settings', 'Failed to load settings: ', 'Switch interval in seconds'],
  ] as const) {
    const main = page.getByRole('main');
    const part = section === 'Library' ? main.getByRole('region', { name: 'Reports', exact: true }) : main;
    await expectAccessibleFaces(page, { part, address, open: () => openSection(page, section), failed });
    await expect(part).toContainText(words);
    await expectAccessible(page);
  }
  await context.setOffline(true);
  await expect(page.getByText('Needs a connection').first()).toBeVisible();
  await expectAccessible(page);
  await context.setOffline(false);
});

const openSection = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name }).click();
