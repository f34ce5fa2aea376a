import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { fixtureNames } from '#tests/support/library.ts';
import { test } from './journey.ts';

test('a newcomer sees four different stills, taps once, and watches four different videos', async ({ feed, page, openProduct }) => {
  const { address } = await openProduct('demo');
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

test('what the page asked for before the engine was there is not asked for again', async ({ feed, page, openProduct }) => {
  const { address } = await openProduct({ names: await fixtureNames('hue') });
  const firsts: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    const isFirstPick = searchParams.get('exclude') === '' && pathname.startsWith('/api/video/');
    if (isFirstPick || pathname === '/api/config') firsts.push(pathname);
  });
  await feed.open(address);
  await feed.waitForStills();
  expect(firsts.sort()).toEqual(['/api/config', ...quadrants.map((quadrant) => `/api/video/${quadrant}`)].sort());
});

test('a tap on the first pictures plays them, also before the rest of the screen is drawn', async ({ feed, page, openProduct }) => {
  const { address } = await openProduct({ names: await fixtureNames('hue') });
  let letViewsCome = () => {};
  const viewsMayCome = new Promise<void>((resolve) => {
    letViewsCome = resolve;
  });
  await page.route('**/assets/draw-app*.js', async (route) => {
    await viewsMayCome;
    await route.continue();
  });
  await page.goto(address);
  const pictures = page.locator('.start-pictures video[data-layer="front"]');
  await expect.poll(() => pictures.evaluateAll((all) => all.filter((video) => (video as HTMLVideoElement).readyState >= 2).length)).toBe(4);

  await page.mouse.click(200, 200);

  await expect.poll(() => pictures.evaluateAll((all) => all.filter((video) => (video as HTMLVideoElement).currentTime > 0.3).length)).toBe(4);
  letViewsCome();
  await expect(feed.quadrant('bottom-right')).toBeVisible();
  await feed.waitUntilAllAdvance();
  await expect(feed.start).toBeHidden();
  await expect(page.locator('.start-pictures')).toHaveCount(0);
});
