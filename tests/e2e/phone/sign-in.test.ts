import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { password, registerAt } from '../accounts.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';
import { SignIn } from '../sign-in.ts';

test('on a phone the dialog fills the screen, in portrait and in landscape, and lets in by touch', async ({
  page,
  club,
}) => {
  await registerAt(club, 'lou');
  const dialog = new SignIn(page);
  await page.goto(`${club.address}/?view=profile`);
  await page.getByRole('button', { name: 'Sign In' }).tap();
  for (const [width, height] of [
    [844, 390],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await poll(() => dialog.box.boundingBox()).toEqual({ x: 0, y: 0, width, height });
    await expectAccessible(page);
  }
  await dialog.fill({ 'Username or Email': 'lou', Password: password });
  await dialog.box.getByRole('button', { name: 'Show password' }).tap();
  await expect(dialog.box.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text');
  await dialog.box.locator('[type="submit"]').tap();
  await expect(dialog.box).toBeHidden();
  await expect(dialog.nameOnProfile('lou')).toBeVisible();
});
