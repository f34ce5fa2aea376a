import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { password, registerAt } from '../accounts.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';

/** Types into what has the focus, and goes on to what is below. */
async function typeAndGoDown(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text);
  await page.keyboard.press('ArrowDown');
}

test('by arrow keys alone somebody passes the gate, fails to sign in, and makes the first account', async ({
  page,
  feed,
  openProduct,
}) => {
  // The address that others open: a code for phones does not say that of this machine alone.
  const settings = { SITE_PASSWORD: 'open sesame', PUBLIC_URL: 'http://fourfold.lan:4400' };
  const product = await openProduct({ names: ['hue-000', 'hue-090', 'hue-180', 'hue-270'] }, settings);
  const dialog = new SignIn(page);
  await page.goto(`${product.address}/?form=tv`);
  await expect(page.getByLabel('Password:')).toBeFocused();
  await expectAccessible(page);
  await typeAndGoDown(page, 'open sesame');
  await expect(page.getByRole('button', { name: 'Enter Site' })).toBeFocused();
  const reloaded = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await reloaded;
  await feed.waitForStills();

  await page.goto(`${product.address}/?form=tv&view=profile`);
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog.box.getByRole('img', { name: /^QR code/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Use a password' })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await typeAndGoDown(page, 'mara');
  await typeAndGoDown(page, 'no such person');
  await page.keyboard.press('Enter');
  await expect(dialog.box.getByRole('checkbox')).toBeChecked();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(dialog.box.getByRole('alert')).toHaveText('Invalid username or password');
  await expect(dialog.box.locator('[type="submit"]')).toBeFocused();

  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Username')).toBeFocused();
  for (const text of ['mara', 'mara@example.com', 'Mara Lindqvist', password, password])
    await typeAndGoDown(page, text);
  await expect(dialog.box.locator('[type="submit"]')).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Set-up code')).toBeFocused();
  await typeAndGoDown(page, String(product.setupCode));
  await page.keyboard.press('Enter');
  await expect(dialog.box).toBeHidden();
  await expect(dialog.nameOnProfile('Mara Lindqvist')).toBeVisible();
  await page.keyboard.press('ContextMenu');
  await expect(dialog.menu.getByRole('button', { name: 'Performance' })).toBeVisible();
});

test('a TV is signed in with the code that it shows, entered on a phone', async ({ page, browser, club }) => {
  await registerAt(club, 'kai');
  const onTv = new SignIn(page);
  await page.goto(`${club.address}/?form=tv&view=profile`);
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeFocused();
  await page.keyboard.press('Enter');
  const code = /^[A-Z]{4}-[A-Z]{4}$/;
  const shown = await onTv.box.getByText(code).textContent();

  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const phone = await context.newPage();
  const onPhone = new SignIn(phone);
  await onPhone.enterAs(club, 'kai');
  await phone.goto(`${club.address}/?device=${shown}`);
  await expect(onPhone.box.getByLabel('Code on the TV')).toHaveValue(shown ?? '');
  await expectAccessible(phone);
  await onPhone.submit('Continue');
  await expect(onPhone.box.getByText('This device will be signed in as kai.')).toBeVisible();
  await expect(onPhone.box.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expectAccessible(phone);
  await onPhone.box.getByRole('button', { name: 'Sign In' }).click();
  await expect(onPhone.box.getByText('The TV is being signed in.')).toBeVisible();
  await expect(onTv.box).toBeHidden();
  await expect(onTv.nameOnProfile('kai')).toBeVisible();
  await expect(page.getByRole('button', { name: 'View Plans & Upgrade' })).toBeFocused();
  await context.close();
});
