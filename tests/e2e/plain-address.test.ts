import { expect } from '@playwright/test';
import { test } from './journey.ts';

test('over plain http in the local network, where no worker can run, the feed plays all the same', async ({
  page,
  feed,
  product,
}) => {
  const address = product.address.replace('127.0.0.1', 'fourfold.lan');
  await feed.play(address);
  expect(await page.evaluate(() => [isSecureContext, 'serviceWorker' in navigator])).toEqual([false, false]);
});
