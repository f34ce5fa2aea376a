import { expect } from '@playwright/test';
import type { FavouriteIds } from '#contract/entities/tagging.ts';
import { expectAccessible } from './accessible.ts';
import { registerAt, send } from './accounts.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';

test('by mouse and keys somebody marks a video, keeps a quadrant to favourites, and finds them in Videos', async ({
  page,
  feed,
  demo,
}) => {
  const { access_token } = await registerAt(demo, 'flora');
  const favourites = async () => (await send<FavouriteIds>(demo, 'GET', '/api/favourites', access_token)).ids;
  await new SignIn(page).enterAs(demo, 'flora');
  await feed.play(demo.address);
  await page.mouse.move(360, 225);
  await page.keyboard.press('h');
  await expect(feed.quadrant('top-left')).toContainText('Added to Favourites.');
  await poll(favourites).toHaveLength(1);
  const [marked = ''] = await favourites();

  await page.mouse.move(1080, 675);
  await feed.control('bottom-right', 'Filter').click();
  const filter = page.getByRole('dialog', { name: 'Filter Content' });
  await filter.getByRole('button', { name: 'Favourites' }).click();
  await expectAccessible(page);
  await filter.getByRole('button', { name: 'Apply (1)' }).click();
  await expect(filter).toBeHidden();
  await expect(feed.quadrant('bottom-right')).toHaveAttribute('data-video-id', marked);
  await expect(feed.control('bottom-right', 'Filter (1 active)')).toBeAttached();

  await page.mouse.move(5, 400);
  await page.getByRole('button', { name: 'Videos', exact: true }).click();
  await page.getByRole('button', { name: 'Favourites', exact: true }).click();
  await expect(page.getByText('1 video', { exact: true })).toBeVisible();
  const heart = page.getByRole('button', { name: /^Favourite: / });
  await expect(heart).toHaveAttribute('aria-pressed', 'true');
  await expectAccessible(page);
  await page.getByLabel('Sort by').selectOption('Longest');
  await page.getByLabel('Length').selectOption('Over 20 min');
  await expect(page.getByText('0 videos', { exact: true })).toBeVisible();
  await page.getByLabel('Length').selectOption('Any length');
  await heart.click();
  await expect(heart).toHaveAttribute('aria-pressed', 'false');
  await poll(favourites).toEqual([]);
});
