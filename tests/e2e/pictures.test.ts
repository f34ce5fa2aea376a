import { test } from './journey.ts';

/**
 * The pictures of the README and the manifest: taken by each run, looked at by people, and then copied to
 * `public/screenshots`.
 */
const pictures = [
  { name: 'feed-wide', width: 1920, height: 1080, scale: 1, address: '/?form=tv' },
  { name: 'feed-narrow', width: 390, height: 844, scale: 2, address: '/?form=phone' },
];

for (const { name, width, height, scale, address } of pictures) {
  test.describe(name, () => {
    test.use({ viewport: { width, height }, deviceScaleFactor: scale });

    test(`the feed plays at ${width}×${height} and has its picture taken`, async ({ page, feed, demo }) => {
      await feed.play(`${demo.address}${address}`);
      await feed.waitForRest();
      await page.screenshot({ path: `.build/pictures/${name}.jpg`, type: 'jpeg', quality: 82 });
    });
  });
}
