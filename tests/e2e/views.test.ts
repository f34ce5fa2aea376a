import { expect } from '@playwright/test';
import { registerAt } from './accounts.ts';
import { everyView, expectView } from './every-view.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

const views = [
  { name: 'channels', title: 'Videos', words: 'No channels available' },
  { name: 'upload', title: 'Upload Videos', words: 'You need to be authenticated to access the upload feature.' },
];

test('an address that asks for a view opens it once, and Back is the feed; one with an unknown view opens the feed', async ({
  page,
  feed,
}) => {
  for (const { name, title, words } of views) {
    await page.goto(`/?view=${name}`);
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
    await expect(page.getByText(words)).toBeVisible();
    await expect(page).toHaveURL('/');

    await page.goBack();

    await feed.waitForStills();
    await expect(page).toHaveURL('/');
  }

  await page.goto('/?view=nowhere');
  await feed.waitForStills();
  await expect(page).toHaveURL('/');
});

test('someone who leaves a view by its button is back at the feed, where Back leaves the app', async ({
  page,
  feed,
  club,
}) => {
  await registerAt(club, 'vito');
  await new SignIn(page).enterAs(club, 'vito');
  await page.goto('about:blank');
  await page.goto(`${club.address}/?view=performance`);
  await page.getByRole('button', { name: 'Back to the feed' }).click();
  await feed.waitForStills();

  await page.goBack();

  await expect(page).toHaveURL('about:blank');
});

test('by mouse an administrator opens every view from the menu, and comes back to the feed from each', async ({
  page,
  feed,
  club,
}) => {
  await new SignIn(page).enterAs(club, 'first');
  await feed.play(club.address);
  const menu = page.getByRole('navigation', { name: 'Menu', exact: true });
  for (const { path, title } of everyView) {
    await page.mouse.move(5, 400);
    for (const name of path) await page.getByRole('button', { name, exact: true }).click();
    await expectView(page, title);
    await expect(menu).toBeHidden();
    await page.getByRole('navigation', { name: 'Menu, collapsed' }).getByRole('button', { name: 'Feed' }).click();
    await expectView(page, 'Feed');
  }
  await feed.waitUntilAllAdvance();
});
