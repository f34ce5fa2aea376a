import { fileURLToPath } from 'node:url';
import { expect } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { acceptAgreement, signInAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

const clip = fileURLToPath(new URL('../fixtures/videos/hue-180.mp4', import.meta.url));

/** What works without a network. */
const views = {
  feed: null,
  channels: 'Videos',
  'tag-management': 'Tag Management',
  'video-tagging': 'Video Tagging',
  profile: 'Profile',
  upload: 'Upload Videos',
};

test('every view of its own starts without a network; what needs one says so, and comes by itself when it is back', async ({
  page,
  context,
  feed,
  inbox,
}) => {
  await acceptAgreement(inbox, await signInAt(inbox, 'first'));
  await new SignIn(page).enterAs(inbox, 'first');
  await page.goto(`${inbox.address}/?view=upload`);
  await expect(page.getByRole('heading', { name: 'No files selected' })).toBeVisible();
  await feed.waitForWorker();
  await context.setOffline(true);

  for (const [view, title] of Object.entries(views)) {
    await page.goto(`${inbox.address}/?view=${view}`);
    if (title) await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
    await expect(page.getByText('You are offline')).toBeVisible();
    await expect(page.getByText('This view could not be loaded.')).toBeHidden();
  }

  await page.getByLabel('Videos', { exact: true }).setInputFiles([clip]);
  await expect(page.getByRole('region', { name: 'Files' }).getByRole('listitem')).toHaveCount(1);
  const past = page.getByRole('region', { name: 'Past uploads' });
  await expect(past).toContainText('Waiting for network');
  await expectAccessible(page);

  await page.goto(`${inbox.address}/?view=admin`);
  await expect(page.getByText('This view could not be loaded.')).toBeVisible();

  await page.goto(`${inbox.address}/?view=profile`);
  await expect(page.getByRole('checkbox', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.getByRole('button', { name: 'View Plans & Upgrade' }).click();
  const missing = page.getByRole('alertdialog', { name: 'Not loaded' });
  await expect(missing).toContainText('Needs a connection');
  await expectAccessible(page);
  await context.setOffline(false);
  await expect(page.getByRole('dialog', { name: 'Choose Your Plan' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Lifetime' })).toBeVisible();
  await page.goto(`${inbox.address}/?view=upload`);
  await expect(past).toContainText('Nothing here yet.');
});
