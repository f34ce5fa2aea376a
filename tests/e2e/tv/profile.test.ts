import { expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import { expectAccessible } from '../accessible.ts';
import { password, registerAt } from '../accounts.ts';
import { crawl } from '../crawl.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';

test('by arrow keys alone somebody takes a plan and changes the password', async ({ page, feed, club }) => {
  await registerAt(club, 'sven');
  const dialog = new SignIn(page);
  await dialog.enterAs(club, 'sven');
  await page.clock.install();
  await page.goto(`${club.address}/?form=tv&view=profile`);
  await expect(page.getByText('This device', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'View Plans & Upgrade' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(dialog.box.getByRole('button', { name: 'Upgrade to Pro' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('ArrowRight');
  await expect(dialog.box.getByRole('button', { name: 'Upgrade to Lifetime' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.box.getByText('You are on Lifetime now.')).toBeVisible();
  await page.clock.fastForward(limits.upgradeClosesAfterMs);
  await expect(dialog.box).toBeHidden();
  await expect(page.getByRole('button', { name: 'View Plans & Upgrade' })).toBeFocused();

  // The menu is drawn at once when it has been open before.
  await page.keyboard.press('ContextMenu');
  await expect(dialog.menu).toBeVisible();
  await page.keyboard.press('ContextMenu');
  await expect(dialog.menu).toBeHidden();
  expect((await crawl(page)).unreached).toEqual([]);
  await page.getByRole('button', { name: 'Sign Out', exact: true }).focus();
  await feed.walkTo(page.getByRole('button', { name: 'Change password', exact: true }), 'ArrowDown');
  await page.keyboard.press('Enter');
  await expect(dialog.box.getByLabel('Current password')).toBeFocused();
  for (const text of [password, 'south pier at dusk', 'south pier at dusk']) {
    await page.keyboard.type(text);
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('ArrowRight');
  await expect(dialog.box.getByRole('button', { name: 'Save' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Password changed. Your other devices are signed out.')).toBeVisible();
});
