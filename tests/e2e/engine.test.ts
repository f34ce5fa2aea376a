import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { countLiveVideos, watchSources } from '#tests/bench/live-videos.ts';
import type { Feed } from './feed.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

const leases = 6;
const rounds = 6;
const intervalMs = 120_000;
/** Beyond the longest that the worker and the rest wait for the first pictures. */
const withoutPicturesMs = 10_000;

test('a video that stands ready is on screen one frame after the key', async ({ feed, page }) => {
  await feed.play();
  const quadrant = await waitForReady(page);
  const swap = await feed.quadrant(quadrant).evaluateHandle(watchSwap);
  await feed.skipByKey(quadrant);
  expect(await swap.evaluate(({ frames }) => frames)).toBeLessThanOrEqual(1);
  await feed.waitUntilAllAdvance();
});

test('a page out of sight stops its four videos and gives back what it prepared, and goes on when it is seen again', async ({
  feed,
  page,
}) => {
  await feed.play();
  await waitForReady(page);
  await setHidden(page, true);
  expect(await page.evaluate(listVideos)).toEqual(quadrants.map(() => ({ layer: 'front', isPaused: true })));
  const asked: string[] = [];
  page.on('request', (request) => request.url().includes('/api/video/') && asked.push(request.url()));
  const { elements, sources } = await countLiveVideos(page);
  expect({ elements, sources, asked }).toEqual({
    elements: 2 * quadrants.length,
    sources: quadrants.length,
    asked: [],
  });
  await setHidden(page, false);
  await feed.waitUntilAllAdvance();
  await waitForReady(page);
});

test('a tab that opens out of sight fetches no video; when it is seen, four stills come', async ({ feed, page }) => {
  const asked: string[] = [];
  page.on('request', (request) => request.url().includes('/api/video/') && asked.push(request.url()));
  await page.addInitScript(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }));
  await page.clock.install();
  await feed.open();
  await page.clock.fastForward(withoutPicturesMs);
  await feed.waitForWorker();
  expect(asked).toEqual([]);
  await setHidden(page, false);
  await feed.waitForStills();
});

test('away from the feed no video holds anything; back on it each goes on where it was', async ({ feed, page }) => {
  await feed.play();
  const before = await feed.look();
  await page.mouse.move(4, 400);
  const menu = page.getByRole('navigation', { name: 'Menu', exact: true });
  await menu.getByRole('button', { name: 'Videos' }).click();
  await poll(() => countLiveVideos(page).then(({ sources }) => sources)).toBe(0);
  await page.goBack();
  await feed.waitUntilAllAdvance();
  await expect(page.locator('canvas'), 'stills that held the places').toHaveCount(0);
  const after = await feed.look();
  for (const quadrant of quadrants) {
    expect(after[quadrant].videoId).toBe(before[quadrant].videoId);
    expect(after[quadrant].time).toBeGreaterThan(before[quadrant].time);
  }
});

test('over six rounds of switches no more sources are open than there are leases, and no element is left behind', async ({
  feed,
  page,
}) => {
  await page.addInitScript(watchSources);
  await page.clock.install();
  await feed.play();
  for (let round = 0; round < rounds; round += 1) await switchAll(page, feed);
  expect(await page.evaluate(() => window.mostSources)).toBeLessThanOrEqual(leases);
  expect(await countLiveVideos(page)).toMatchObject({ elements: 2 * quadrants.length, detached: 0 });
});

/**
 * The interval passes, and once more for a quadrant that was waiting for data just then: it counts playing time only.
 */
async function switchAll(page: Page, feed: Feed): Promise<void> {
  const before = await feed.look();
  const listUnchanged = async () => {
    const now = await feed.look();
    return quadrants.filter((quadrant) => now[quadrant].videoId === before[quadrant].videoId);
  };
  await expect(async () => {
    await page.clock.fastForward(intervalMs);
    await poll(listUnchanged, { message: 'all four have switched', timeout: 1_000 }).toEqual([]);
  }).toPass();
}

/** A quadrant whose next video stands ready beneath. */
async function waitForReady(page: Page): Promise<Quadrant> {
  const found = await page.waitForFunction(() => {
    const ready = [...document.querySelectorAll<HTMLVideoElement>('video[data-layer="back"]')].find(
      (video) => video.readyState >= 3,
    );
    return ready?.closest('section')?.dataset.quadrant;
  });
  return (await found.jsonValue()) as Quadrant;
}

/** Runs in the page: animation frames from the next key to the moment at which the layers have changed places. */
function watchSwap(section: Element): { frames: Promise<number> } {
  const back = section.querySelector<HTMLVideoElement>('video[data-layer="back"]');
  const frames = new Promise<number>((resolve) => {
    let drawn = 0;
    const look = () => {
      if (back?.dataset.layer === 'front') return resolve(drawn);
      drawn += 1;
      requestAnimationFrame(look);
    };
    addEventListener('keydown', () => setTimeout(look), { capture: true, once: true });
  });
  return { frames };
}

/** No driver hides a page for real: what the page asks about itself is answered in its place. */
function setHidden(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    Object.defineProperty(document, 'visibilityState', {
      configurable: true,
      get: () => (hidden ? 'hidden' : 'visible'),
    });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

/** Runs in the page: the videos that have a source. */
function listVideos(): { layer: string; isPaused: boolean }[] {
  const videos = [...document.querySelectorAll('video')].filter((video) => video.hasAttribute('src'));
  return videos.map((video) => ({ layer: video.dataset.layer ?? '', isPaused: video.paused }));
}
