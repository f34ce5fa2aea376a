import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { fixtureNames } from '#tests/support/library.ts';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';

test('with the server gone, a view and the feed open in their offline state; when the server is back it plays again', async ({
  page,
  feed,
  openProduct,
}) => {
  const product = await openProduct({ names: await fixtureNames('hue') });
  await page.clock.install();
  await feed.play(product.address);
  await feed.waitForWorker();
  await product.stop();

  await page.goto(`${product.address}/?view=profile`);

  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  await expect(page.getByText('You are offline')).toBeVisible();

  await feed.open(product.address);

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
  scarce,
  endings,
}) => {
  const network = await FaultyNetwork.start(scarce.address);
  endings.push(() => network.close());
  await page.clock.install();
  await feed.play(network.address);
  const before = (await feed.look())['top-left'];
  await network.refuse();

  await feed.skipByKey('top-left');

  await expect(feed.quadrant('top-left')).toContainText('Waiting for network');
  await expect(page.getByText('You are offline')).toBeVisible();
  expect((await feed.look())['top-left'].colour).toEqual(before.colour);

  await network.accept();
  await feed.passNetworkPause();
  await feed.waitForOtherVideo('top-left', before.videoId);
  await feed.waitUntilAllAdvance();
});
