import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

const clip = fileURLToPath(new URL('../fixtures/videos/hue-180.mp4', import.meta.url));

test('somebody reads and accepts the agreement, uploads a video and sees it among the past ones', async ({
  page,
  inbox,
}) => {
  await registerAt(inbox, 'ulla');
  await new SignIn(page).enterAs(inbox, 'ulla');
  await page.goto(`${inbox.address}/?view=upload`);
  const agreement = page.getByRole('dialog', { name: 'End-User License Agreement' });
  await expect(agreement.getByRole('button', { name: 'Scroll to Bottom to Accept' })).toBeDisabled();
  await expect(agreement.getByRole('heading', { name: 'What you may upload' })).toBeVisible();
  await expectAccessible(page);
  await agreement.getByRole('document').hover();
  await page.mouse.wheel(0, 10_000);
  await agreement.getByRole('checkbox', { name: 'I have read and understood the terms and conditions' }).check();
  await agreement.getByRole('button', { name: 'Accept' }).click();
  await expect(page.getByText('EULA accepted successfully! You can now upload videos.')).toBeVisible();
  await page.getByRole('button', { name: 'OK' }).click();

  await expect(page.getByRole('heading', { name: 'No files selected' })).toBeVisible();
  await page.getByLabel('Videos', { exact: true }).setInputFiles([clip, fileURLToPath(import.meta.url)]);
  const rejected = page.getByRole('alertdialog');
  await expect(rejected).toContainText('Some files were rejected:');
  await expect(rejected).toContainText('upload.test.ts: Unsupported format.');
  await rejected.getByRole('button', { name: 'OK' }).click();
  const files = page.getByRole('region', { name: 'Files' });
  await expect(files.getByRole('listitem')).toHaveCount(1);
  await expect(files.getByText('Waiting', { exact: true })).toBeVisible();
  await expectAccessible(page);
  await files.getByRole('button', { name: 'Upload 1 file' }).click();
  await expect(files.getByText('Completed', { exact: true })).toBeVisible();
  await expect(files.getByRole('heading', { name: '1 of 1 completed' })).toBeVisible();

  const past = page.getByRole('table', { name: 'Past uploads' });
  await expect(past.getByRole('row', { name: 'hue-180.mp4' })).toContainText('Completed');
  await files.getByRole('button', { name: 'Clear Completed' }).click();
  await expect(page.getByRole('heading', { name: 'No files selected' })).toBeVisible();
  await expectAccessible(page);
});
