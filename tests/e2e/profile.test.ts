import { expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import { expectAccessible } from './accessible.ts';
import { password, registerAt, send, signInAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

test('somebody signs in on the way to a higher plan, takes it, and may choose a step that holds after a reload', async ({
  page,
  club,
}) => {
  await registerAt(club, 'pia');
  const dialog = new SignIn(page);
  await page.clock.install();
  await page.goto(`${club.address}/?view=profile`);
  const slider = page.getByRole('slider', { name: 'Video Skip Duration' });
  await expect(slider).toBeDisabled();
  await page.getByRole('button', { name: 'View Subscription Plans' }).click();
  await expect(dialog.box.getByText('You can continue to use the app without an account.')).toBeVisible();
  await dialog.box.getByRole('button', { name: 'Upgrade to Pro' }).click();
  await expect(dialog.box.getByText('Please sign in to upgrade your subscription')).toBeVisible();
  await expectAccessible(page);
  await dialog.box.getByRole('button', { name: 'Sign In' }).click();
  await dialog.fill({ 'Username or Email': 'pia', Password: password });
  await dialog.submit('Sign In');

  await expect(dialog.box.getByText('Upgrades take effect immediately.')).toBeVisible();
  await expect(dialog.box.getByRole('button', { name: 'Contact Admin' })).toBeDisabled();
  await dialog.box.getByRole('button', { name: 'Upgrade to Pro' }).click();
  await expect(dialog.box.getByText('You are on Pro now.')).toBeVisible();
  await expect(dialog.nameOnProfile('Pro')).toBeVisible();
  await page.clock.fastForward(limits.upgradeClosesAfterMs);
  await expect(dialog.box).toBeHidden();

  await page.getByRole('button', { name: '30 seconds more' }).click();
  await expect(page.getByText('Not saved yet')).toBeVisible();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expect(page.getByText('Settings saved successfully!')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Show statistics' }).check();
  const switched = page.waitForResponse('**/users/profile');
  await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).uncheck();
  await switched;
  await page.goto(`${club.address}/?view=profile`);
  await expect(slider).toHaveAttribute('aria-valuetext', '1m 30s');
  await expect(page.getByRole('checkbox', { name: 'Show statistics' })).toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'Keyboard shortcuts' })).not.toBeChecked();
  await expectAccessible(page);
});

test('somebody changes name and password, sees their devices and signs out everywhere', async ({ page, club }) => {
  await registerAt(club, 'rolf');
  const dialog = new SignIn(page);
  await dialog.enterAs(club, 'rolf');
  await page.goto(`${club.address}/?view=profile`);
  await page.getByRole('button', { name: 'Change display name' }).click();
  await dialog.fill({ 'Display name (optional)': 'Rolf Berg' });
  await dialog.submit('Save');
  await expect(dialog.nameOnProfile('Rolf Berg')).toBeVisible();
  await expect(page.getByText('Display name changed.')).toBeVisible();

  const devices = page.getByRole('region', { name: 'Signed-in Devices' });
  await expect(devices.getByRole('listitem')).toHaveCount(2);
  await expect(devices.getByText('This device')).toHaveCount(1);
  await page.getByRole('button', { name: 'Change password' }).click();
  await dialog.fill({
    'Current password': 'south pier',
    'New password': 'south pier at dusk',
    'Confirm new password': 'south pier at dusk',
  });
  await dialog.submit('Save');
  await expect(dialog.box.getByRole('alert')).toHaveText('The password is wrong');
  await expect(dialog.box.getByLabel('Current password')).toBeFocused();
  await expectAccessible(page);
  await dialog.fill({ 'Current password': password });
  await dialog.submit('Save');
  await expect(page.getByText('Password changed. Your other devices are signed out.')).toBeVisible();
  await expect(devices.getByRole('listitem')).toHaveCount(1);
  await expect(signInAt(club, 'rolf')).rejects.toThrow('401');

  const { access_token: elsewhere } = await send<{ access_token: string }>(club, 'POST', '/auth/login', null, {
    identifier: 'rolf',
    password: 'south pier at dusk',
  });
  await page.getByRole('button', { name: 'Sign Out Everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign Out Everywhere' }).click();
  await expect(page.getByText('Welcome to Fourfold')).toBeVisible();
  await expect(page.getByRole('alertdialog')).toBeHidden();
  await expect(send(club, 'GET', '/auth/me', elsewhere)).rejects.toThrow('401');
});

test('an administrator has every entry of the menu, the way into administration, and stays one', async ({
  page,
  club,
}) => {
  const dialog = new SignIn(page);
  await dialog.enterAs(club, 'first');
  await page.goto(`${club.address}/?view=profile`);
  await expect(dialog.nameOnProfile('Admin')).toBeVisible();
  await page.mouse.move(3, 400);
  await dialog.menu.getByRole('button', { name: 'Tagging' }).click();
  const entries = ['Feed', 'Videos', 'Upload', 'Tagging', 'Tag Management', 'Video Tagging', 'Performance', 'Profile'];
  await expect(dialog.menu.getByRole('list').first().getByRole('button')).toHaveText(entries);
  await dialog.menu.getByRole('button', { name: /^first Admin/ }).click();
  await expect(dialog.box.getByRole('button', { name: 'Downgrade Not Available' })).toHaveCount(3);
  await page.keyboard.press('Escape');
  await expect(dialog.box).toBeHidden();

  await page.getByRole('button', { name: 'Delete Account' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByLabel('Password', { exact: true }).fill(password);
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Delete Account' }).click();
  await expect(question.getByRole('alert')).toContainText('administrator');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Administration' }).click();
  await expect(page.getByRole('heading', { name: 'Administration', level: 1 })).toBeVisible();
});
