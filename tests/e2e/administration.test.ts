import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';
import { setAhead, settableTime } from './time-ahead.ts';

test('an administrator finds somebody and gives them a plan until a day: their open page has it without a new sign-in, until the day has passed', async ({
  page,
  browser,
  openProduct,
}) => {
  const product = await openProduct({ names: ['hue-000', 'hue-090', 'hue-180', 'hue-270'] }, settableTime);
  for (const name of ['first', 'mara', 'olga', 'pia']) await registerAt(product, name);
  const theirs = new SignIn(await browser.newPage());
  await theirs.enterAs(product, 'mara');
  await theirs.page.goto(`${product.address}/?view=profile`);
  await expect(theirs.nameOnProfile('Basic (Free)')).toBeVisible();

  await new SignIn(page).enterAs(product, 'first');
  await page.goto(`${product.address}/?view=admin`);
  await expect(page.getByRole('row')).toHaveCount(5);
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Search by name or email' }).fill('MARA@');
  const row = page.getByRole('button', { name: 'mara' });
  await expect(page.getByRole('row')).toHaveCount(2);
  await row.click();
  await expect(page.getByRole('heading', { name: 'mara' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Plan' }).selectOption('Pro');
  await page.getByRole('combobox', { name: 'Ends' }).selectOption('On a day');
  const tomorrow = new Date(new Date().setHours(24, 0, 0, 0));
  await page.getByLabel('Last day').fill(dayOf(new Date()));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Change Plan' }).click();
  await expect(page.getByText('Plan changed.')).toBeVisible();
  await page.goBack();
  await expect(row).toBeFocused();
  await expect(page.getByRole('row').last()).toContainText('Pro');

  await expectPlan(theirs, 'Pro');
  await setAhead(product, tomorrow.getTime() - Date.now());
  await expectPlan(theirs, 'Basic (Free)');
});

/** Whatever they do next shows it: here the plans are looked at. */
async function expectPlan(theirs: SignIn, badge: string): Promise<void> {
  await expect(async () => {
    await theirs.page.getByRole('button', { name: 'View Plans & Upgrade' }).click();
    await theirs.box.getByRole('button', { name: 'Close' }).click();
    await expect(theirs.nameOnProfile(badge)).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

/** As a date field takes it. */
function dayOf(date: Date): string {
  const parts = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}
