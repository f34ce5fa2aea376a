import { expect } from '@playwright/test';
import type { FavouriteIds } from '#contract/entities/tagging.ts';
import type { Answer } from '#tests/support/go-between.ts';
import { startGoBetween } from '#tests/support/go-between.ts';
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
  await feed.clickControl('bottom-right', 'Filter');
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

test('favourites in Videos have no accessibility fault while they load, fail, are none, and without a network', async ({
  page,
  context,
  feed,
  club,
  endings,
}) => {
  await registerAt(club, 'fern');
  const network = await startGoBetween(club.address);
  endings.push(() => network.close());
  const answer = (fate: 'silent' | Answer | null) =>
    network.interfere((path) => (path.startsWith('/api/videos/by-tags') ? fate : null));
  const list = page.getByRole('region', { name: 'Videos', exact: true });
  const open = async () => {
    await page.goto(`${network.address}/?view=channels`);
    await page.getByRole('button', { name: 'Favourites', exact: true }).click();
  };
  await new SignIn(page).enterAs({ ...club, address: network.address }, 'fern');
  answer('silent');
  await open();
  await expect(list.getByRole('status').filter({ hasText: 'Loading...' })).toBeAttached();
  await expectAccessible(page);
  answer({ status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":"internal"}' });
  await open();
  await expect(list).toContainText('Failed to load videos: ');
  await expectAccessible(page);

  await feed.waitForWorker();
  await context.setOffline(true);
  await list.getByRole('button', { name: 'Retry' }).click();
  await expect(list).toContainText('Waiting for network');
  await expectAccessible(page);
  answer(null);
  await context.setOffline(false);
  await expect(list).toContainText('Videos that you mark with the heart are listed here.');
  await expectAccessible(page);
  await context.setOffline(true);
  await open();
  await expect(page.getByText('Waiting for network. Listed')).toHaveCount(1);
  await expectAccessible(page);
});
