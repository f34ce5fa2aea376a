import { test } from './journey.ts';

/** The pictures of the README: taken by each run, looked at by people. */
const pictures = [
  { name: 'feed-tv', width: 1920, height: 1080, address: '/?form=tv' },
  { name: 'feed-phone', width: 390, height: 844, address: '/?form=phone' },
];

for (const { name, width, height, address } of pictures) {
  test(`the feed plays at ${width}×${height} and has its picture taken (${name})`, async ({ page, feed, openProduct }) => {
    const product = await openProduct('demo');
    await page.setViewportSize({ width, height });
    await feed.play(`${product.address}${address}`);
    await feed.waitForRest();
    await page.screenshot({ path: `.build/pictures/${name}.png` });
  });
}
