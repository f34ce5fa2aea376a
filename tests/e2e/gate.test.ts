import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { password } from './accounts.ts';
import { test } from './journey.ts';
import { closedSite } from './products.ts';
import { SignIn, violationsIn } from './sign-in.ts';

test('the address that the terminal shows makes the first account, over the password page', async ({
  page,
  feed,
  gate: { address, setupCode },
}) => {
  await page.goto(`${address}/?setup=${setupCode}`);
  await expect(page.getByRole('heading', { name: 'This site is private' })).toBeVisible();
  expect(page.url()).toBe(`${address}/`);
  await page.getByLabel('Password:').fill('open sesame');
  await page.getByRole('button', { name: 'Enter Site' }).click();
  const signIn = new SignIn(page);
  await expect(signIn.box.getByLabel('Set-up code', { exact: true })).toHaveValue(String(setupCode));
  expect(page.url()).toBe(`${address}/`);
  await signIn.fill({
    Username: 'hanna',
    Email: 'hanna@example.com',
    Password: password,
    'Confirm password': password,
  });
  await signIn.submit('Create Account');
  await expect(signIn.box).toBeHidden();
  await feed.waitForStills();
  await signIn.expectInMenu('Admin');
});

test('a closed site shows its password page alone, refuses a wrong password in the form, and opens with the right one', async ({
  page,
  context,
  feed,
  gate: { address },
}) => {
  const violations = violationsIn(context);
  await page.goto(address);
  await expect(page.getByRole('heading', { name: 'This site is private' })).toBeVisible();
  await expect(page.getByText('Please request access from the site owner on Discord.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Discord' })).toHaveAttribute('href', closedSite.REQUEST_ACCESS_URL);
  await expect(page.getByRole('heading', { name: 'The first version' })).toBeVisible();
  await expectAccessible(page);

  const enter = page.getByRole('button', { name: 'Enter Site' });
  await expect(enter).toBeDisabled();
  await page.getByLabel('Password:').fill('open says me');
  await enter.click();
  await expect(page.getByRole('alert')).toHaveText('Invalid password');
  await expect(page.getByLabel('Password:')).toBeFocused();
  await expectAccessible(page);

  await page.keyboard.press('Control+A');
  await page.keyboard.type('open sesame');
  const reloaded = page.waitForEvent('load');
  await page.keyboard.press('Enter');
  await reloaded;
  await feed.waitForStills();
  await page.reload();
  await feed.waitForStills();
  expect(violations).toEqual([]);
});
