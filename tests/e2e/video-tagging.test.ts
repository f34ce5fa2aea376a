import { expect } from '@playwright/test';
import { notices } from '#contract/notices.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';
import { makeTags } from './tagged-library.ts';

test('by keys alone videos are tagged one by one and together, and it is undone', async ({ page, desk }) => {
  await makeTags(desk, 'Aurora', 'Cities');
  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?view=video-tagging`);
  const cards = page.getByRole('list', { name: 'Videos' }).getByRole('listitem');
  await expect(cards).toHaveCount(4);
  await expect(page.getByText('4 videos need tags')).toBeVisible();
  await expectAccessible(page);

  await cards.nth(1).getByRole('button').first().focus();
  await page.keyboard.press('ArrowLeft');
  await expect(cards.nth(0).getByRole('button').first()).toBeFocused();
  await page.keyboard.press('1');
  await expect(cards.nth(0)).toContainText('Aurora');
  await expect(page.getByText('3 videos need tags')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('n');
  await expect(cards.nth(1).getByRole('button').first()).toBeFocused();
  await page.keyboard.press('Shift+ArrowRight');
  await expect(page.getByText('2 videos selected')).toBeVisible();
  await page.keyboard.press('2');
  await expect(page.getByText('Cities added to 2 videos.')).toBeVisible();
  await expect(page.getByText('1 video needs tags')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('u');
  await expect(page.getByText('3 videos need tags')).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toContainText('Aurora');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();

  await page.goto(`${desk.address}/?view=video-tagging`);
  await expect(page.getByText('3 videos need tags')).toBeVisible();
  await expect(cards.filter({ hasText: 'Aurora' })).toHaveCount(1);
});

test('a channel is made while typing, by keys, and without a network it arrives with its video later', async ({
  page,
  context,
  desk,
}) => {
  await makeTags(desk, 'Aurora');
  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?view=video-tagging`);
  const cards = page.getByRole('list', { name: 'Videos' }).getByRole('listitem');
  await cards.nth(0).getByRole('button').first().press('Enter');
  const search = page.getByRole('textbox', { name: 'Search tags' });
  await search.fill('AURORA');
  await expect(page.getByRole('checkbox', { name: 'Aurora' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Create/ })).toHaveCount(0);
  await search.fill('Lighthouses');
  await search.press('Enter');
  await expect(page.getByText('No channel is called Lighthouses yet.')).toBeAttached();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create "Lighthouses"' }).press('Enter');
  await expect(page.getByRole('checkbox', { name: 'Lighthouses' })).toBeFocused();
  await expect(page.getByRole('checkbox', { name: 'Lighthouses' })).toBeChecked();
  await page.getByRole('button', { name: 'Assign 1 Tag' }).press('Enter');
  await expect(cards.nth(0)).toContainText('Lighthouses');

  await context.setOffline(true);
  await search.fill('Ferries');
  await page.getByRole('button', { name: 'Create "Ferries"' }).click();
  await expect(page.getByRole('checkbox', { name: 'Ferries' })).toBeChecked();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Assign 1 Tag' }).click();
  await expect(cards.nth(0)).toContainText('Ferries');
  await expect(page.getByText(notices.changeWaits).first()).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText(notices.changeWaits)).toHaveCount(0);
  await page.goto(`${desk.address}/?view=tag-management`);
  await expect(page.getByRole('rowheader')).toHaveText(['Aurora', 'Ferries', 'Lighthouses']);
  await page.goto(`${desk.address}/?view=video-tagging`);
  await expect(cards.filter({ hasText: 'Lighthouses' })).toHaveCount(1);
  await cards.filter({ hasText: 'Lighthouses' }).getByRole('button').first().click();
  await expect(page.getByRole('region', { name: 'Current Tags' })).toContainText('Ferries');
});
