import { expect } from '@playwright/test';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';

test('by touch a double tap on the left third goes back, one in the middle and two fingers that part expand, and a swipe skips; skip back returns to the second that was left', async ({
  feed,
  page,
}) => {
  await feed.play();
  const here = feed.quadrant('top-left');
  const box = await here.boundingBox();
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  const at = (share: number) => ({
    x: (box?.x ?? 0) + (box?.width ?? 0) * share,
    y: (box?.y ?? 0) + (box?.height ?? 0) / 2,
  });
  const doubleTap = async (share: number) => {
    // Sent at once, so that no pause of the test comes between them.
    await Promise.all([
      touch('touchStart', at(share)),
      touch('touchEnd'),
      touch('touchStart', at(share)),
      touch('touchEnd'),
    ]);
  };
  const look = async () => (await feed.look())['top-left'];

  await poll(async () => (await look()).time).toBeGreaterThan(3);
  await doubleTap(0.25);
  await poll(async () => (await look()).time).toBeLessThan(2);
  await doubleTap(0.5);
  await expect(here).toHaveAttribute('data-expanded', 'true');
  await page.goBack();
  await expect(here).toHaveAttribute('data-expanded', 'false');
  await touch('touchStart', at(0.45));
  await touch('touchStart', at(0.45), at(0.55));
  for (const reach of [0.1, 0.15, 0.2, 0.3]) await touch('touchMove', at(0.5 - reach), at(0.5 + reach));
  await touch('touchEnd');
  await expect(here).toHaveAttribute('data-expanded', 'true');
  await page.goBack();
  await expect(here).toHaveAttribute('data-expanded', 'false');

  await poll(async () => (await look()).time).toBeGreaterThan(3);
  const { videoId } = await look();
  // As above: a finger that stands before it is lifted has not swiped.
  await Promise.all([
    touch('touchStart', at(0.8)),
    ...[0.7, 0.6, 0.5, 0.4, 0.3].map((share) => touch('touchMove', at(share))),
    touch('touchEnd'),
  ]);
  await feed.waitForOtherVideo('top-left', videoId);
  // A tap hides controls that still stand.
  await expect(here).toHaveAttribute('data-active', 'false');
  await here.tap({ position: { x: 100, y: 60 } });
  await feed.tapControl('top-left', 'Skip back');
  await expect(here).toHaveAttribute('data-video-id', videoId);
  expect((await look()).time).toBeGreaterThan(2);
});
