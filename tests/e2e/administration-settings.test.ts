import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

test('an administrator closes the site in the browser: visitors meet the password page at once, and no form for new accounts, until it is undone', async ({
  page,
  browser,
  openProduct,
  endings,
}) => {
  const product = await openProduct('demo');
  await registerAt(product, 'first');
  await new SignIn(page).enterAs(product, 'first');
  await page.goto(`${product.address}/?view=admin`);
  const section = (name: string) =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name }).click();
  await section('Settings');
  await expect(page.getByRole('heading', { name: 'Library folders' })).toBeVisible();
  await expectAccessible(page);

  const folder = await mkdtemp(join(tmpdir(), 'fourfold-folders-'));
  endings.push(() => rm(folder, { recursive: true }));
  await page.getByLabel('New folder').fill(join(folder, 'films'));
  await page.getByRole('button', { name: 'Add Folder' }).click();
  await expect(page.getByText(`There is no folder ${join(folder, 'films')}`)).toBeVisible();
  await mkdir(join(folder, 'films'));
  await page.getByRole('button', { name: 'Add Folder' }).click();
  await expect(page.getByText('Found 0 videos')).toBeVisible();

  await page.getByRole('combobox', { name: 'New accounts' }).selectOption('By invitation alone');
  await page.getByLabel('Site password').fill('open sesame');
  await page.getByRole('button', { name: 'Save Access' }).click();
  await expect(page.getByText('Saved. It holds now.')).toBeVisible();
  await expect(page.getByText('It is never shown')).toBeVisible();
  await expectAccessible(page);

  const visitor = await browser.newPage();
  await visitor.goto(product.address);
  await expect(visitor.getByRole('heading', { name: 'This site is private' })).toBeVisible();
  await visitor.getByLabel('Password:').fill('open sesame');
  await visitor.getByRole('button', { name: 'Enter Site' }).click();
  await expect(visitor.getByRole('heading', { name: 'This site is private' })).toBeHidden();
  const { registration } = await visitor.evaluate(async () => (await (await fetch('/api/config')).json()).features);
  expect(registration).toBe(false);

  await section('Activity');
  await page.getByRole('button', { name: 'Undo: Site password, New accounts' }).click();
  await expect(page.getByText('Undone: Site password, New accounts')).toBeVisible();
  const another = await browser.newPage();
  await another.goto(product.address);
  await expect(another.getByRole('heading', { name: 'This site is private' })).toBeHidden();
  expect((await another.request.get(`${product.address}/api/config`)).status()).toBe(200);
});
