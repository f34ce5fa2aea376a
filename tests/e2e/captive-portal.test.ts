import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { startGoBetween } from '#tests/support/go-between.ts';
import { test } from './journey.ts';

const portal = {
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Hotel</title><p>Sign in to use the network</p>',
};

test("a hotel's sign-in page in place of every answer is treated as no network, and playback returns after it", async ({
  page,
  feed,
  product,
}) => {
  const network = await startGoBetween(product.address);
  await page.clock.install();
  await feed.play(network.address);
  await feed.waitForWorker();
  network.interfere(() => portal);

  await page.reload();

  for (const quadrant of quadrants) await expect(feed.quadrant(quadrant)).toContainText('Waiting for network');
  await expect(page.getByText('You are offline')).toBeVisible();

  network.interfere(() => null);
  await feed.passNetworkPause();
  await feed.waitForStills();
  await expect(page.getByText('You are offline')).toBeHidden();
  await network.close();
});
