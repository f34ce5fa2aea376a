import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';

test("a library without videos says 'No videos yet' in each quadrant", async ({ feed, page, openProduct }) => {
  const { address } = await openProduct({ names: [] });
  await feed.open(address);
  for (const quadrant of quadrants) {
    await expect(feed.quadrant(quadrant)).toContainText('No videos yet');
    await expect(feed.quadrant(quadrant)).toContainText('Upload your first video to get started with your feed!');
    await expect(feed.quadrant(quadrant)).toContainText('Use the Upload page from the menu');
  }
  await expectAccessible(page);

  for (const [width, height, form] of [
    [844, 390, 'phone'],
    [1920, 1080, 'tv'],
    [960, 540, 'tv'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await feed.open(`${address}/?form=${form}`);
    await expect(feed.quadrant('top-left')).toContainText('No videos yet');
    await feed.quadrant('top-left').hover({ position: { x: width / 5, y: height / 5 } });
    await expect(feed.quadrant('top-left')).toHaveAttribute('data-active', 'true');
    expect(
      await feed.control('top-left', 'Seek').isVisible(),
      `controls lie over the words at ${width}×${height}`,
    ).toBe(false);
  }
});

test('the one video of a library plays in all four quadrants, each at another position', async ({
  feed,
  openProduct,
}) => {
  const { address } = await openProduct({ names: ['hue-000'] });
  await feed.play(address);
  const pictures = Object.values(await feed.look());
  expect(new Set(pictures.map(({ videoId }) => videoId)).size).toBe(1);
  const times = pictures.map(({ time }) => time).sort((a, b) => a - b);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(1);
});

test('the three videos of a library all play, and one of them twice, at another position', async ({
  feed,
  openProduct,
}) => {
  const { address } = await openProduct({ names: ['hue-000', 'hue-120', 'hue-240'] });
  await feed.play(address);
  const pictures = Object.values(await feed.look());
  expect(new Set(pictures.map(({ videoId }) => videoId)).size).toBe(3);
  const twins = pictures.filter((one) => pictures.some((other) => other !== one && other.videoId === one.videoId));
  expect(twins).toHaveLength(2);
  expect(Math.abs((twins[0]?.time ?? 0) - (twins[1]?.time ?? 0))).toBeGreaterThan(1);
});
