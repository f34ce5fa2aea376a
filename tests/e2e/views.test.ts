import { expect } from '@playwright/test';
import { test } from './journey.ts';

const views = [
  { name: 'channels', title: 'Videos' },
  { name: 'upload', title: 'Upload Videos' },
  { name: 'admin', title: 'Administration' },
  { name: 'tag-management', title: 'Tag Management' },
  { name: 'video-tagging', title: 'Video Tagging' },
  { name: 'performance', title: 'Performance Dashboard' },
];

for (const { name, title } of views) {
  test(`an address that asks for '${name}' opens it once, and Back is the feed`, async ({ page, feed }) => {
    await page.goto(`/?view=${name}`);
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
    await expect(page.getByText('This part is being built.')).toBeVisible();
    await expect(page).toHaveURL('/');

    await page.goBack();

    await feed.waitForStills();
    await expect(page).toHaveURL('/');
  });
}

test('an address with an unknown view opens the feed', async ({ page, feed }) => {
  await page.goto('/?view=nowhere');
  await feed.waitForStills();
  await expect(page).toHaveURL('/');
});

test('someone who leaves a view by its button is back at the feed, where Back leaves the app', async ({ page, feed }) => {
  await page.goto('about:blank');
  await page.goto('/?view=channels');
  await page.getByRole('button', { name: 'Back to the feed' }).click();
  await feed.waitForStills();

  await page.goBack();

  await expect(page).toHaveURL('about:blank');
});
