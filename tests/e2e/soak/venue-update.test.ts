import { expect } from '@playwright/test';
import { findChromium } from '#tests/support/chromium.ts';
import { startChromium } from '#tests/support/old-chromium.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';
import { openReleasedProduct } from '../released.ts';

// Playwright listens to workers, too, and Chromium then forgets a page that reloads while they change.
test('at four in the morning a venue goes on with a build whose files have other names, also one that asks without end', async ({
  endings,
}) => {
  const product = await openReleasedProduct(endings);
  const { page, close } = await startChromium(await findChromium());
  endings.push(close);
  await page.runFirst(hurryClock, aheadKey);
  await page.open(`${product.address}/robots.txt`);
  await page.evaluate(beginAt, { aheadKey, hour: 1.5 });
  // From the second visit on, the page comes from the worker.
  for (const address of ['/?venue=1', '/']) {
    await page.open(product.address + address);
    await page.until('four moving pictures', doFourMove, null);
    await page.evaluate(async () => void (await navigator.serviceWorker.ready), null);
  }

  await page.evaluate(() => document.documentElement.setAttribute('data-before', 'yes'), null);

  await product.release();
  await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()), null);
  await page.until('the new build waits', isUpdateWaiting, null);
  const reports = await page.evaluate(countReports, null);
  await poll(() => page.evaluate(countReports, null), { message: 'minutes pass' }).toBeGreaterThan(reports + 2);
  await page.until('four moving pictures', doFourMove, null);
  expect(await page.evaluate(() => document.documentElement.dataset.before, null)).toBe('yes');

  await page.evaluate(askWithoutEnd, null);
  await page.evaluate(beginAt, { aheadKey, hour: 4.1 });
  await poll(() => page.evaluate(() => document.documentElement.dataset.build, null).catch(String), {
    message: 'the new build runs',
    timeout: allTriesMs,
  }).toBe('next');
  await page.until('four moving pictures', doFourMove, null);
  expect(await page.evaluate(isUpdateWaiting, null)).toBe(false);
  expect(await page.evaluate(() => document.querySelectorAll('button').length, null)).toBe(0);
});

/** A busy machine needs some of the tries of the page, which take up to a minute together. */
const allTriesMs = 300_000;
const aheadKey = 'fourfold-test.ahead';

/** Runs in the page before its own scripts: the time of day is ahead as the tab was told, and each minute takes a second. */
function hurryClock(key: string): void {
  const { Date: RealDate, setInterval: every } = window;
  const now = () => RealDate.now() + Number(sessionStorage.getItem(key));
  window.Date = class extends RealDate {
    constructor(...given: number[]) {
      super(...((given.length === 0 ? [now()] : given) as [number]));
    }
    static override now = now;
  } as DateConstructor;
  window.setInterval = ((work: () => void, ms: number) =>
    every(work, ms === 60_000 ? 1_000 : ms)) as typeof window.setInterval;
}

/** Runs in the page: sets its clock. */
function beginAt({ aheadKey, hour }: { aheadKey: string; hour: number }): void {
  const ahead = Number(sessionStorage.getItem(aheadKey));
  const at = new Date();
  at.setHours(0, hour * 60, 0, 0);
  sessionStorage.setItem(aheadKey, String(ahead + at.getTime() - Date.now()));
}

/** Runs in the page. */
async function doFourMove(): Promise<boolean> {
  const videos = [...document.querySelectorAll<HTMLVideoElement>('main[data-venue] video[data-layer="front"]')];
  const before = videos.map(({ currentTime }) => currentTime);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return videos.length === 4 && videos.every(({ currentTime }, at) => currentTime > (before[at] ?? 0));
}

/** Runs in the page. */
async function isUpdateWaiting(): Promise<boolean> {
  return Boolean((await navigator.serviceWorker.ready).waiting);
}

/** Runs in the page: a venue reports once a minute, at least. */
function countReports(): number {
  return performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/performance/all')).length;
}

/** Runs in the page: a worker that always has something to answer keeps its place in Chromium. */
function askWithoutEnd(): void {
  const ask = (): Promise<void> => fetch('/api/status').then(ask, ask);
  void ask();
}
