import type { Locator } from '@playwright/test';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from './accessible.ts';
import { password } from './accounts.ts';
import { fixtureOf } from './hues.ts';
import { test } from './journey.ts';
import { openEmptyProduct, ownNames } from './new-site.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';

/** As few clicks as the product promises from nothing to four videos of one's own. */
const clicksAtMost = 12;

test('with at most 12 clicks a new administrator comes from an empty product to four videos of their own', async ({
  page,
  feed,
  browser,
  openProduct,
  endings,
}) => {
  const product = await openEmptyProduct(openProduct, endings);
  let clicks = 0;
  const click = async (control: Locator) => {
    clicks += 1;
    await control.click();
  };
  const named = (name: string | RegExp) => page.getByRole('button', { name });
  await page.goto(`${product.address}/?setup=${product.setupCode}`);
  const signIn = new SignIn(page);
  for (const [label, text] of [
    ['Username', 'hanna'],
    ['Email', 'hanna@example.com'],
    ['Password', password],
    ['Confirm password', password],
  ] as const) {
    await click(signIn.box.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  }
  await click(signIn.box.locator('[type="submit"]'));

  await expect(page.getByRole('dialog', { name: 'Your videos' })).toBeVisible();
  await expectAccessible(page);
  await click(named('Choose a Folder'));
  await expect(page.getByRole('dialog', { name: 'Choose a Folder' })).toContainText('films');
  await expectAccessible(page);
  await click(named('films'));
  await click(named('Use This Folder'));
  await expect(page.getByText('Found 4 videos')).toBeVisible();
  await expectAccessible(page);
  await click(named('Next'));
  await expect(page.getByRole('dialog', { name: 'Who may come in' })).toBeVisible();
  await expectAccessible(page);
  await click(named('Next'));
  await expect(page.getByRole('dialog', { name: 'Ready' })).toContainText(product.address);
  await expectAccessible(page);
  await click(named('Start Watching'));

  await expect(page.getByRole('dialog')).toHaveCount(0);
  await poll(async () => {
    const pictures = Object.values(await feed.look());
    return pictures.flatMap(({ colour }) => (colour === null ? [] : [fixtureOf(colour)])).sort();
  }).toEqual([...ownNames].sort());
  await click(feed.start);
  await feed.waitUntilAllAdvance();
  expect(clicks).toBeLessThanOrEqual(clicksAtMost);

  const elsewhere = await browser.newPage();
  await new SignIn(elsewhere).enterAs(product, 'hanna');
  await elsewhere.goto(`${product.address}/?view=admin`);
  await expect(elsewhere.getByRole('heading', { name: 'Administration' })).toBeVisible();
  await elsewhere.getByRole('button', { name: 'Settings' }).click();
  await elsewhere.getByRole('button', { name: 'First Steps' }).click();
  await expect(elsewhere.getByRole('dialog', { name: 'Your videos' })).toContainText('Found 4 videos');
  await elsewhere.getByRole('button', { name: 'Next' }).click();
  await elsewhere.goBack();
  await expect(elsewhere.getByRole('dialog', { name: 'Your videos' })).toBeVisible();
  await elsewhere.goBack();
  await expect(elsewhere.getByRole('dialog')).toHaveCount(0);
  await expect(elsewhere.getByRole('heading', { name: 'Library folders' })).toBeVisible();
});

test('an administrator who skips everything is not asked again, and the demo goes on', async ({
  page,
  feed,
  openProduct,
  endings,
}) => {
  const product = await openEmptyProduct(openProduct, endings);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${product.address}/?setup=${product.setupCode}`);
  const signIn = new SignIn(page);
  await signIn.fill({ Username: 'kai', Email: 'kai@example.com', Password: password, 'Confirm password': password });
  await signIn.submit('Create Account');
  for (const name of ['Your videos', 'Who may come in']) {
    await expect(page.getByRole('dialog', { name })).toBeVisible();
    await page.getByRole('button', { name: 'Skip' }).click();
  }
  await page.getByRole('button', { name: 'Start Watching' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(Object.keys(await feed.waitForStills())).toHaveLength(quadrants.length);
  const asked = page.waitForResponse((response) => response.url().endsWith('/users/profile'));
  await page.reload();
  expect(await (await asked).json()).not.toHaveProperty('first_run');
});
