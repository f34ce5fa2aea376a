import { expect } from '@playwright/test';
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
