import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { countLiveVideos } from '#tests/bench/live-videos.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

test('a newcomer sees four different stills, taps once, and watches four different videos', async ({
  feed,
  page,
  demo: { address },
}) => {
  await feed.open(address);
  await expect(page).toHaveTitle('Fourfold');
  const stills = Object.values(await feed.waitForStills());
  expect(new Set(stills.map(({ videoId }) => videoId)).size).toBe(4);
  expect(new Set(stills.map(({ colour }) => String(colour))).size).toBe(4);
  expect(stills.every(({ time }) => time === 0)).toBe(true);

  await feed.start.click();

  await feed.waitUntilAllAdvance();
  await expect(feed.start).toBeHidden();
  await expect(page.getByRole('button', { name: 'Reload' })).toBeHidden();
});

test.describe('without a worker', () => {
  test.use({ serviceWorkers: 'block' });

  test('the page brings the first four videos: none of them is asked for', async ({
    feed,
    page,
    product: { address },
  }) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/video/') && pathname !== '/api/video/stream') asked.push(pathname);
    });
    // A busy server sends the page without them rather than late.
    await expect(async () => {
      asked.length = 0;
      await feed.open(address);
      await feed.waitForStills();
      expect(asked).toEqual([]);
    }).toPass({ timeout: 90_000 });
  });
});

for (const file of ['engine', 'draw-app']) {
  test(`a tap on the first pictures plays them, also before the file '${file}' has come`, async ({
    feed,
    page,
    product: { address },
  }) => {
    let letFileCome = () => {};
    const fileMayCome = new Promise<void>((resolve) => {
      letFileCome = resolve;
    });
    await page.route(`**/assets/${file}*.js`, async (route) => {
      await fileMayCome;
      await route.continue();
    });
    await page.goto(address);
    const pictures = page.locator('.start-grid video');
    const countFrom = (second: number) =>
      pictures.evaluateAll(
        (all, at) =>
          all.filter(
            (video) => (video as HTMLVideoElement).readyState >= 2 && (video as HTMLVideoElement).currentTime >= at,
          ).length,
        second,
      );
    await poll(() => countFrom(0)).toBe(4);

    await page.mouse.click(200, 200);

    await poll(() => countFrom(0.3)).toBe(4);
    letFileCome();
    await expect(feed.quadrant('bottom-right')).toBeVisible();
    await feed.waitUntilAllAdvance();
    await expect(feed.start).toBeHidden();
    await expect(page.locator('.start-grid')).toHaveCount(0);
    expect(await countLiveVideos(page)).toMatchObject({ elements: 2 * quadrants.length, detached: 0 });
  });
}
