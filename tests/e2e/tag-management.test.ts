import { expect } from '@playwright/test';
import { notices } from '#contract/notices.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

test('by mouse somebody creates tags, edits one and deletes others, and a name in use is refused where it was typed', async ({
  page,
  desk,
}) => {
  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?view=tag-management`);
  await expect(page.getByRole('heading', { name: 'No Tags Found' })).toBeVisible();
  const dialog = page.getByRole('dialog');
  const name = dialog.getByRole('textbox', { name: 'Name', exact: true });
  for (const tag of ['Aurora', 'Cities', 'Clouds']) {
    await page.getByRole('button', { name: 'Create Tag' }).click();
    await name.fill(tag);
    await dialog.getByRole('button', { name: 'Create Tag' }).click();
    await expect(dialog).toBeHidden();
  }
  await expect(page.getByRole('rowheader')).toHaveText(['Aurora', 'Cities', 'Clouds']);
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Edit Cities' }).click();
  await expectAccessible(page);
  await name.fill('aurora');
  await dialog.getByRole('button', { name: 'Update Tag' }).click();
  await expect(dialog.getByRole('alert').first()).toBeVisible();
  await name.fill('Towns');
  await dialog.getByLabel('Color picker').fill('#ff0000');
  await dialog.getByRole('button', { name: 'Update Tag' }).click();
  await expect(page.getByRole('row', { name: /Towns/ })).toContainText('#FF0000');

  await page.getByRole('button', { name: 'Ascending. Sort descending' }).click();
  await expect(page.getByRole('rowheader')).toHaveText(['Towns', 'Clouds', 'Aurora']);
  for (const tag of ['Towns', 'Aurora']) await page.getByRole('checkbox', { name: `Select ${tag}` }).check();
  await expect(page.getByText('2 tags selected')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete Selected' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('Are you sure you want to delete 2 tags? This action cannot be undone.');
  await question.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('rowheader')).toHaveText(['Clouds']);
  // The rows go at once; the server has heard of both when this is said.
  await expect(page.getByText(notices.tagsDeleted(2))).toBeVisible();
  await page.goto(`${desk.address}/?view=tag-management`);
  await expect(page.getByRole('rowheader')).toHaveText(['Clouds']);
});
