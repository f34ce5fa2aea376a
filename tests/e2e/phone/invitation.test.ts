import { expect } from '@playwright/test';
import type { InvitationLink } from '#contract/entities/account.ts';
import { limits } from '#contract/limits.ts';
import { expectAccessible } from '../accessible.ts';
import { password, registerAt, send } from '../accounts.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';
import { setAhead, settableTime } from '../time-ahead.ts';

const dayMs = 86_400_000;

test('an invitation opened on a phone makes an account on a closed site; used, revoked and expired ones are refused in words', async ({
  page,
  openProduct,
}) => {
  const product = await openProduct(
    { names: ['hue-000', 'hue-090', 'hue-180', 'hue-270'] },
    { ...settableTime, REGISTRATION: 'closed' },
  );
  const { access_token: token } = await registerAt(product, 'first');
  const invite = () => send<InvitationLink>(product, 'POST', '/users/admin/invitations', token, { tier: 'pro' });
  const [used, revoked, expired] = [await invite(), await invite(), await invite()];

  const dialog = new SignIn(page);
  await page.goto(used.url);
  await expect(dialog.box.getByText('You are invited. Your plan: Pro.')).toBeVisible();
  expect(page.url()).toBe(`${product.address}/`);
  await expectAccessible(page);
  await dialog.fill({ Username: 'mara', Email: 'mara@example.com', Password: password, 'Confirm password': password });
  await dialog.box.locator('[type="submit"]').tap();
  await expect(dialog.box).toBeHidden();
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).not.toContain(new URL(used.url).searchParams.get('invitation'));

  await page.goto(`${revoked.url}&view=profile`);
  await expect(dialog.box).toContainText('You are signed in as mara already. The invitation was not used');
  await dialog.box.getByRole('button', { name: 'Close' }).first().tap();
  await expect(dialog.nameOnProfile('Pro')).toBeVisible();
  await page.getByRole('button', { name: 'Sign Out', exact: true }).tap();
  await expect(page.getByText('Welcome to Fourfold')).toBeVisible();

  await page.goto(used.url);
  await expect(dialog.box.getByRole('alert')).toContainText('used');
  await expect(dialog.box.getByRole('heading')).toHaveText('Sign In');
  await expect(dialog.box.getByText('Create Account')).toBeHidden();
  await expectAccessible(page);
  await send(product, 'DELETE', `/users/admin/invitations/${revoked.id}`, token);
  await page.goto(revoked.url);
  await expect(dialog.box.getByRole('alert')).toContainText('revoked');
  await setAhead(product, limits.invitationDays * dayMs);
  await expect(async () => {
    await page.goto(expired.url);
    await expect(dialog.box.getByRole('alert')).toContainText('expired', { timeout: 3_000 });
  }).toPass();
});
