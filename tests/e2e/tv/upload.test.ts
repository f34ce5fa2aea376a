import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { registerAt, signInAt } from '../accounts.ts';
import { crawl } from '../crawl.ts';
import { test } from '../journey.ts';

test('by remote the agreement is read to its end and accepted, and the TV says how to send from a phone', async ({
  page,
  inbox,
}) => {
  await registerAt(inbox, 'udo');
  const tokens = await signInAt(inbox, 'udo');
  const address = inbox.address.replace('127.0.0.1', 'fourfold.lan');
  await page.goto(`${address}/robots.txt`);
  await page.evaluate(({ access_token, refresh_token }) => {
    localStorage.setItem('fourfold.access-token', access_token);
    localStorage.setItem('fourfold.refresh-token', refresh_token);
  }, tokens);
  await page.goto(`${address}/?view=upload&form=tv`);
  const agreement = page.getByRole('dialog', { name: 'End-User License Agreement' });
  await expect(agreement.getByRole('document')).toBeFocused();
  await expect(agreement.getByRole('heading', { name: 'What you may upload' })).toBeVisible();
  const box = agreement.getByRole('checkbox');
  // On a slow TV an arrow precedes the event of the scroll that it follows.
  await page.evaluate(() => addEventListener('scroll', (event) => event.stopImmediatePropagation(), true));
  const hasFocus = () => box.evaluate((element) => element === document.activeElement);
  while (!(await hasFocus())) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(box).toBeChecked();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await expect(agreement.getByRole('button', { name: 'Accept' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alertdialog')).toContainText('EULA accepted successfully!');
  await page.keyboard.press('Enter');

  await expect(page.getByRole('img', { name: `QR code for ${address}/?view=upload` })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Choose files' })).toHaveCount(0);
  const { unreached } = await crawl(page);
  expect(unreached).toEqual([]);
  await expectAccessible(page);
});
