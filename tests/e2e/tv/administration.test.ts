import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { registerAt } from '../accounts.ts';
import { crawl } from '../crawl.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';
import { listTvFaults } from '../tv-layout.ts';

test('by arrow keys alone an administrator gives somebody a plan for 30 days, and makes and revokes an invitation', async ({
  page,
  feed,
  club,
}) => {
  await registerAt(club, 'tom');
  await new SignIn(page).enterAs(club, 'first');
  await page.goto(`${club.address}/?form=tv&view=admin`);
  const people = page.getByRole('button', { name: 'People', exact: true });
  await expect(people).toBeFocused();
  const row = page.getByRole('button', { name: 'tom' });
  await expect(row).toBeVisible();
  // The menu is drawn at once when it has been open before.
  await page.keyboard.press('ContextMenu');
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
  await page.keyboard.press('ContextMenu');
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeHidden();
  expect((await crawl(page)).unreached).toEqual([]);
  await people.focus();
  await page.keyboard.press('ArrowDown');
  await feed.walkTo(row, 'ArrowDown');
  await page.keyboard.press('Enter');
  const plan = page.getByRole('button', { name: /^Plan/ });
  await expect(plan).toBeFocused();
  await choose('Pro');
  await page.keyboard.press('ArrowDown');
  await choose('In 30 days');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('button', { name: 'Change Plan' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Plan changed.')).toBeVisible();
  await expectAccessible(page);
  // It goes by itself, and everything below it moves.
  await expect(page.getByText('Plan changed.')).toBeHidden();
  await page.setViewportSize({ width: 960, height: 540 });
  expect((await crawl(page)).unreached).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(row).toBeFocused();
  await expect(page.getByRole('row').filter({ has: row })).toContainText('ProUntil');

  await feed.walkTo(page.getByRole('navigation', { name: 'Sections' }).getByRole('button'), 'ArrowUp');
  await feed.walkTo(people, 'ArrowLeft');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByText('No invitations yet.')).toBeVisible();
  await feed.walkTo(page.getByRole('button', { name: /^Plan/ }), 'ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Copy link' })).toBeFocused();
  await expect(page.getByRole('img', { name: 'QR code of the invitation' })).toBeVisible();
  await expectAccessible(page);
  expect((await crawl(page)).unreached).toEqual([]);
  await page.getByRole('button', { name: 'Done' }).focus();
  await feed.walkTo(page.getByRole('button', { name: /^Revoke the invitation/ }), 'ArrowDown');
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog');
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByText('No invitations yet.')).toBeVisible();

  /** In the dialog of the focused select, whose values stand below each other. */
  async function choose(value: string): Promise<void> {
    await page.keyboard.press('Enter');
    await feed.walkTo(page.getByRole('dialog').getByRole('button', { name: value, exact: true }), 'ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog')).toBeHidden();
  }
});

test('arrows reach every control of library, duplicates, encodings, jobs, settings, about and activity, at either size', async ({
  page,
  club,
}) => {
  await new SignIn(page).enterAs(club, 'first');
  await page.goto(`${club.address}/?form=tv&view=admin`);
  const tab = (name: string) => page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name });
  await expect(tab('People')).toBeFocused();
  // The menu is drawn at once when it has been open before.
  await page.keyboard.press('ContextMenu');
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
  await page.keyboard.press('ContextMenu');
  await expect(page.getByRole('navigation', { name: 'Menu' })).toBeHidden();
  for (const [name, words] of [
    ['Library', 'Everything that was found can be played.'],
    ['Duplicates', 'No search has come to its end yet.'],
    ['Encodings', 'The least recently played encodings are deleted first.'],
    ['Jobs', 'Library scan'],
    ['Settings', 'A change holds at once, without a restart.'],
    ['About', 'What is missing'],
    ['Activity', 'Who did what'],
  ] as const) {
    await tab(name).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByText(words)).toBeVisible();
    await expectAccessible(page);
    // Cards without a button are read by arrows as well.
    for (const card of name === 'About' ? ['Server', 'Database and storage', 'Backup', 'Addresses'] : [])
      await expect(page.getByRole('region', { name: card })).toHaveAttribute('tabindex', '0');
    for (const [width, height] of [
      [960, 540],
      [1920, 1080],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect((await crawl(page)).unreached, `${name} at ${width}`).toEqual([]);
      expect(await page.evaluate(listTvFaults), `${name} at ${width}`).toEqual([]);
    }
  }
});
