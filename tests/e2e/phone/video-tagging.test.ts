import { expect } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';
import { SignIn } from '../sign-in.ts';
import { makeTags } from '../tagged-library.ts';

test('by touch a video gets tags from a sheet, several are selected and tagged together, and it is undone', async ({
  page,
  desk,
}) => {
  await makeTags(desk, 'Aurora', 'Cities');
  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?view=tag-management`);
  await expect(page.getByRole('rowheader')).toHaveText(['Aurora', 'Cities']);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Video Tagging', exact: true }).tap();
  const cards = page.getByRole('list', { name: 'Videos' }).getByRole('listitem');
  await expect(cards).toHaveCount(4);
  await expectAccessible(page);

  await cards.nth(0).getByRole('button').first().tap();
  const sheet = page.getByRole('dialog', { name: 'Tags' });
  await sheet.getByRole('checkbox', { name: 'Cities' }).check();
  await expectAccessible(page);
  await sheet.getByRole('button', { name: 'Assign 1 Tag' }).tap();
  await expect(sheet.getByRole('button', { name: 'Remove Cities' })).toBeVisible();
  await page.goBack();
  await expect(sheet).toBeHidden();
  await expect(page.getByText('3 videos need tags')).toBeVisible();

  await page.getByRole('button', { name: 'Select', exact: true }).tap();
  for (const at of [1, 2]) await cards.nth(at).getByRole('button').first().tap();
  await page.getByRole('button', { name: 'Add Tags', exact: true }).tap();
  await sheet.getByRole('checkbox', { name: 'Aurora' }).check();
  await sheet.getByRole('button', { name: 'Assign 1 Tag' }).tap();
  await sheet.getByRole('button', { name: 'Close' }).tap();
  await expect(page.getByText('1 video needs tags')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).tap();
  await expect(page.getByText('3 videos need tags')).toBeVisible();
  await expectAccessible(page);
});
