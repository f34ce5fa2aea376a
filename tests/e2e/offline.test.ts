import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { fixtureNames } from '#tests/support/library.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';

test('with the server gone, a reload shows the app in its offline state; when the server is back it plays again', async ({
  page,
  feed,
  openProduct,
}) => {
  const product = await openProduct({ names: await fixtureNames('hue') });
  await page.clock.install();
  await feed.play(product.address);
  await feed.waitForWorker();
  await product.stop();

  await page.reload();

  for (const quadrant of quadrants) await expect(feed.quadrant(quadrant)).toContainText('Waiting for network');
  await expect(page.getByText('You are offline')).toBeVisible();
  await expectAccessible(page);

  await product.start();
  await feed.passNetworkPause();
  await feed.waitForStills();
  await expect(page.getByText('You are offline')).toBeHidden();
  await feed.start.click();
  await feed.waitUntilAllAdvance();
});

test('someone who skips while the server is gone keeps the picture, and the quadrant goes on by itself afterwards', async ({
  feed,
  page,
  openProduct,
}) => {
  // Too few for another one to be prepared.
  const product = await openProduct({ names: (await fixtureNames('hue')).slice(0, 8) });
  await page.clock.install();
  await feed.play(product.address);
  const before = (await feed.look())['top-left'];
  await product.stop();

  await feed.skipByKey('top-left');

  await expect(feed.quadrant('top-left')).toContainText('Waiting for network');
  await expect(page.getByText('You are offline')).toBeVisible();
  expect((await feed.look())['top-left'].colour).toEqual(before.colour);

  await product.start();
  await feed.passNetworkPause();
  await feed.waitForOtherVideo('top-left', before.videoId);
  await feed.waitUntilAllAdvance();
});

test('a view of its own opens offline too, and says that the network is away', async ({ page, feed, openProduct }) => {
  const product = await openProduct({ names: ['hue-000'] });
  await feed.open(product.address);
  await feed.waitForWorker();
  await product.stop();

  await page.goto(`${product.address}/?view=profile`);

  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  await expect(page.getByText('You are offline')).toBeVisible();
});
