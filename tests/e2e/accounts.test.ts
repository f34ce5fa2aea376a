import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import Database from 'better-sqlite3';
import type { SessionList } from '#contract/entities/account.ts';
import { expectAccessible } from './accessible.ts';
import { password, registerAt, send, signInAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn, violationsIn } from './sign-in.ts';

const minuteMs = 60_000;

/** Signs in at the provider and consents. */
async function agreeAsOlga(page: Page): Promise<void> {
  await page.locator('[name="login"]').fill('olga');
  await page.locator('[name="password"]').fill('any');
  await page.locator('[type="submit"]').click();
  await expect(page.locator('[name="login"]')).toHaveCount(0);
  await page.locator('[type="submit"]').click();
}

test('a visitor registers, and is still in after sixteen minutes and a reload', async ({ page, club }) => {
  const dialog = new SignIn(page);
  await page.goto(`${club.address}/?view=profile`);
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expectAccessible(page);
  await dialog.submit('Create Account');
  await expect(dialog.box.getByRole('alert')).toHaveText([
    'Username is required',
    'Email is required',
    'Password is required',
    'Please confirm your password',
  ]);
  await expect(page.getByLabel('Username')).toBeFocused();
  await expectAccessible(page);

  await dialog.fill({ Username: 'nora', Email: 'nora@example.com', Password: password, 'Confirm password': password });
  await dialog.submit('Create Account');
  await expect(dialog.box).toBeHidden();
  await expect(dialog.nameOnProfile('nora')).toBeVisible();

  await page.clock.setSystemTime(Date.now() + 16 * minuteMs);
  const refreshed = page.waitForResponse('**/auth/refresh');
  await page.reload();
  expect((await refreshed).status()).toBe(200);
  await dialog.expectInMenu('nora');
});

test('a wrong password is refused in the form; the right one lets in, and signing out ends it in all tabs', async ({
  page,
  context,
  club,
}) => {
  await registerAt(club, 'ivo');
  const dialog = new SignIn(page);
  await page.goto(`${club.address}/?view=profile`);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await dialog.fill({ 'Username or Email': 'ivo', Password: 'south pier' });
  await dialog.submit('Sign In');
  await expect(dialog.box.getByRole('alert')).toHaveText('Invalid username or password');
  await expectAccessible(page);

  const other = await context.newPage();
  await other.goto(`${club.address}/?view=profile`);
  await expect(other.getByRole('button', { name: 'Sign In' })).toBeVisible();
  await dialog.fill({ Password: password });
  await dialog.submit('Sign In');
  await expect(dialog.box).toBeHidden();
  await expect(page.getByRole('button', { name: 'Sign Out', exact: true })).toBeVisible();
  await other.getByRole('button', { name: 'Sign Out', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Sign In' })).toBeVisible();
});

test('somebody signs in with a provider in a window of its own', async ({ page, context, club }) => {
  const violations = violationsIn(context);
  await context.route('**://fonts.googleapis.com/**', (route) => route.abort());
  const dialog = new SignIn(page);
  await page.goto(`${club.address}/?view=profile`);
  await page.getByRole('button', { name: 'Sign In' }).click();
  const opening = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Continue with Guild' }).click();
  const popup = await opening;
  await expect(page.getByRole('button', { name: 'Continue with Guild' })).toBeDisabled();
  const closed = popup.waitForEvent('close');
  await agreeAsOlga(popup);
  await closed;
  await expect(dialog.box).toBeHidden();
  await dialog.expectInMenu('Olga Berg');
  expect(violations).toEqual([]);
});

test('somebody without a password shows by their provider who they are, and sets one; no address carries a token', async ({
  page,
  context,
  club,
}) => {
  const violations = violationsIn(context);
  const asked: string[] = [];
  context.on('request', (request) => void asked.push(request.url()));
  await context.route('**://fonts.googleapis.com/**', (route) => route.abort());
  const dialog = new SignIn(page);
  await page.goto(`${club.address}/?view=profile`);
  await page.getByRole('button', { name: 'Sign In' }).click();
  const signingIn = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Continue with Guild' }).click();
  const reloaded = page.waitForEvent('load');
  await agreeAsOlga(await signingIn);
  await reloaded;
  await page.goto(`${club.address}/?view=profile`);

  await page.getByRole('button', { name: 'Set password' }).click();
  const opening = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Confirm with Guild' }).click();
  await opening;
  await expect(dialog.box.getByText('Confirmed. You can go on.')).toBeVisible();
  await expectAccessible(page);
  await dialog.fill({ 'New password': password, 'Confirm new password': password });
  await dialog.submit('Save');
  await expect(page.getByRole('button', { name: 'Change password' })).toBeVisible();
  const refresh = await page.evaluate(() => localStorage.getItem('fourfold.refresh-token'));
  expect(asked.filter((address) => address.includes('link=1')).length).toBe(1);
  expect(asked.filter((address) => /eyJ/.test(address) || address.includes(String(refresh)))).toEqual([]);
  expect(violations).toEqual([]);
});

test('where no window can be had, the page itself goes to the provider and comes back signed in', async ({
  page,
  context,
  club,
}) => {
  await context.route('**://fonts.googleapis.com/**', (route) => route.abort());
  const dialog = new SignIn(page);
  await page.goto(`${club.address}/?form=tv&view=profile`);
  await page.getByRole('button', { name: 'Sign In' }).click();
  await page.getByRole('button', { name: 'Use a password' }).click();
  await page.getByRole('button', { name: 'Continue with Guild' }).click();
  await agreeAsOlga(page);
  await page.waitForURL(`${club.address}/`);
  await dialog.expectInMenu('Olga Berg');
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test('a window that is closed by hand ends the waiting', async ({ page, context, club }) => {
  await context.route('**://fonts.googleapis.com/**', (route) => route.abort());
  await page.goto(`${club.address}/?view=profile`);
  await page.getByRole('button', { name: 'Sign In' }).click();
  const opening = page.waitForEvent('popup');
  const button = page.getByRole('button', { name: 'Continue with Guild' });
  await button.click();
  await (await opening).close();
  await expect(button).toBeEnabled();
});

test('a session that is ended elsewhere is over here: the dialog says so', async ({ page, feed, club }) => {
  await registerAt(club, 'tove');
  const dialog = new SignIn(page);
  await dialog.enterAs(club, 'tove');
  await page.goto(club.address);
  await feed.waitForStills();
  await feed.start.click();
  await feed.waitUntilAllAdvance();

  const { access_token: elsewhere } = await signInAt(club, 'tove');
  const { sessions } = await send<SessionList>(club, 'GET', '/auth/sessions', elsewhere);
  for (const { id, current } of sessions) if (!current) await send(club, 'DELETE', `/auth/sessions/${id}`, elsewhere);
  await feed.quadrant('top-left').hover();
  // A skip asks the server, unless the feed has asked for a video by itself before.
  const ended = dialog.box.getByText('Your session has ended. Please sign in again.');
  await expect(async () => {
    if (!(await ended.isVisible())) await feed.control('top-left', 'Skip').click({ timeout: 3_000 });
    await expect(ended).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await expectAccessible(page);

  await dialog.fill({ 'Username or Email': 'tove', Password: password });
  await dialog.submit('Sign In');
  await expect(dialog.box).toBeHidden();
  await feed.waitUntilAllAdvance();
});

test('a tier that is changed in the database holds without signing in again', async ({ page, feed, club }) => {
  await registerAt(club, 'vera');
  const dialog = new SignIn(page);
  await dialog.enterAs(club, 'vera');
  await page.goto(club.address);
  await feed.waitForStills();
  await feed.start.click();
  await feed.waitUntilAllAdvance();
  const database = new Database(join(club.dataDir, 'fourfold.sqlite'));
  database.prepare("update users set tier = 'pro' where username = 'vera'").run();
  database.close();
  await expect(async () => {
    await feed.quadrant('top-left').hover();
    await feed.control('top-left', 'Skip').click({ timeout: 3_000 });
    await page.mouse.move(5, 400);
    await expect(dialog.menu.getByText('Pro', { exact: true })).toBeVisible({ timeout: 3_000 });
  }).toPass();
});
