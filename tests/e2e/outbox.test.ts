import type { BrowserContext, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Profile } from '#contract/entities/user.ts';
import type { Product } from '#tests/support/product.ts';
import { expectAccessible } from './accessible.ts';
import { registerAt, send, signInAt } from './accounts.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';

/** The keys of the writes that the server has done, in order. */
function recordDone(context: BrowserContext): string[] {
  const done: string[] = [];
  context.on('response', (response) => {
    const key = response.request().headers()['idempotency-key'];
    if (key !== undefined && response.ok()) done.push(key);
  });
  return done;
}

const waiting = (count: number) => `${count === 1 ? '1 change waits' : `${count} changes wait`} for the network.`;

/** Presses boxes of the blocklist in turn, each of which is one change. */
async function toggleChannels(page: Page, presses: number): Promise<void> {
  const boxes = page.getByRole('region', { name: 'Channel Blocklist' }).getByRole('checkbox');
  const count = await boxes.count();
  for (let press = 0; press < presses; press += 1) {
    await boxes.nth(press % count).click();
    await expect(page.getByText(waiting(press + 1))).toBeVisible();
  }
}

async function readSettings(product: Product, token: string): Promise<Profile> {
  return send<Profile>(product, 'GET', '/users/profile', token);
}

test('twenty changes that were made without a network outlive the page, and arrive once, in order, at the next start', async ({
  page,
  context,
  feed,
  openProduct,
}) => {
  const product = await openProduct('demo');
  await registerAt(product, 'ana');
  const dialog = new SignIn(page);
  await dialog.enterAs(product, 'ana');
  await page.goto(product.address);
  await feed.waitForWorker();
  await page.goto(`${product.address}/?view=profile`);
  const blocklist = page.getByRole('region', { name: 'Channel Blocklist' });
  await expect(blocklist.getByRole('checkbox').first()).toBeVisible();
  const done = recordDone(context);

  await context.setOffline(true);
  await toggleChannels(page, 18);
  await page.getByRole('checkbox', { name: 'Keyboard shortcuts' }).uncheck();
  await expect(page.getByText(waiting(19))).toBeVisible();
  await page.getByRole('button', { name: '30 seconds more' }).click();
  await page.getByRole('button', { name: 'Save Settings' }).click();
  await expect(page.getByText(waiting(20))).toBeVisible();
  const list = page.getByRole('region', { name: 'Waiting changes' });
  await expect(list.getByRole('listitem')).toHaveCount(20);
  const checked = await blocklist.getByRole('checkbox', { checked: true }).count();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Sign Out', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Sign Out' });
  await expect(question.getByText('20 changes have not been sent yet.')).toBeVisible();
  await expect(question.getByRole('button', { name: 'Keep for me' })).toBeFocused();
  await expect(question.getByRole('button', { name: 'Send now' })).toBeDisabled();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  expect(done).toEqual([]);

  await page.close();
  await context.setOffline(false);
  const next = await context.newPage();
  await next.goto(product.address);

  await poll(() => done.length, { message: 'all of them' }).toBe(20);
  expect(new Set(done).size).toBe(20);
  const { access_token: token } = await signInAt(product, 'ana');
  const profile = await readSettings(product, token);
  expect(profile.user?.settings).toMatchObject({ shortcut_keys: false, skip_duration_seconds: 90 });
  expect(profile.user?.settings.blocked_tag_ids).toHaveLength(checked);
  await next.goto(`${product.address}/?view=profile`);
  await expect(next.getByRole('checkbox', { name: 'Keyboard shortcuts' })).not.toBeChecked();
  await expect(next.getByText('wait for the network')).toHaveCount(0);
  await next.getByRole('button', { name: 'Sign Out', exact: true }).click();
  await expect(next.getByText('Welcome to Fourfold')).toBeVisible();
});
