import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { alternate } from './alternate.ts';
import { launchBrowser, viewport } from './browser.ts';
import { amount } from './form.ts';
import { watchFrames } from './frame-watch.ts';
import { startSite, untilWorkerRests } from './site.ts';
import { waitForFour } from './start.ts';
import { printAmounts } from './table.ts';

/** Together the minute that is watched: product and peer in turn, so that both meet the same machine. */
const windows = amount(2, 1);
const windowMs = amount(30_000, 2_000);
const warmUpMs = 3_000;

export interface Watched {
  /** Frames. */
  readonly total: number;
  readonly dropped: number;
  readonly longTasks: number;
}

declare global {
  interface Window {
    frameCounts: { total: number; dropped: number };
    longTasks: number;
    /** Milliseconds. */
    longestTask: number;
  }
}

/**
 * Frames that four videos drop in a minute, and how often the page held its main thread for more than 50 ms, against
 * the bare page.
 */
export async function measureSmoothness(): Promise<void> {
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const [product, peer] = await alternate(
      windows,
      (round) => watch(browser, site.address, lengthOf(round)),
      async (round) => watch(browser, await site.drawBareAddress(), lengthOf(round)),
    );
    const longTasks = (runs: Watched[]) => runs.reduce((all, run) => all + run.longTasks, 0);
    printAmounts(
      `Four playing for ${(windows * windowMs) / 1000} s, in ${windows} windows; peer: the bare page, looping`,
      [
        {
          what: 'frames dropped',
          value: droppedPercent(product),
          unit: '%',
          goal: tenths(droppedPercent(peer) + 0.5),
          floor: tenths(droppedPercent(peer) + 2),
        },
        {
          what: 'tasks above 50 ms',
          value: longTasks(product),
          unit: '',
          goal: longTasks(peer),
          floor: longTasks(peer) + 2,
        },
      ],
    );
  } finally {
    await browser.close();
    await site.stop();
  }
}

function lengthOf(round: number): number {
  return round === 0 ? warmUpMs : windowMs;
}

/**
 * Watches four videos play.
 * @param slowdown of the page's processor: 4 is a quarter of its speed
 */
export async function watch(browser: Browser, address: string, watchedMs: number, slowdown = 1): Promise<Watched> {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(watchFrames);
  await context.addInitScript(countFrames);
  try {
    const page = await context.newPage();
    await page.goto(address);
    await waitForFour(page, -1);
    await page.evaluate(() => {
      for (const video of document.querySelectorAll<HTMLVideoElement>('main > video')) video.loop = true;
    });
    await page.mouse.click(viewport.width / 2, viewport.height / 2);
    await waitForFour(page, await page.evaluate(() => window.lastClickAt));
    await untilWorkerRests(page);
    await page.evaluate(() =>
      Object.assign(window, { isFrameWatchOver: true, frameCounts: { total: 0, dropped: 0 }, longTasks: 0 }),
    );
    await slowDown(page, slowdown);
    await delay(watchedMs);
    return await page.evaluate(() => ({ ...window.frameCounts, longTasks: window.longTasks }));
  } finally {
    await context.close();
  }
}

async function slowDown(page: Page, rate: number): Promise<void> {
  if (rate === 1) return;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate });
}

/** Of all frames, in per cent. */
export function droppedPercent(runs: readonly Watched[]): number {
  const sum = (field: keyof Watched) => runs.reduce((all, run) => all + run[field], 0);
  return (sum('dropped') / sum('total')) * 100;
}

/**
 * Runs in the page before its own scripts. It counts once a second what each video has drawn and dropped since; each new
 * source counts from nothing. It also counts the tasks above 50 ms.
 */
export function countFrames(): void {
  window.frameCounts = { total: 0, dropped: 0 };
  window.longTasks = 0;
  window.longestTask = 0;
  new PerformanceObserver((list) => {
    window.longTasks += list.getEntries().length;
    window.longestTask = Math.max(window.longestTask, ...list.getEntries().map(({ duration }) => duration));
  }).observe({ type: 'longtask' });
  const before = new WeakMap<HTMLVideoElement, { total: number; dropped: number }>();
  setInterval(() => {
    for (const video of document.querySelectorAll('video')) {
      const { totalVideoFrames: total, droppedVideoFrames: dropped } = video.getVideoPlaybackQuality();
      const last = before.get(video) ?? { total: 0, dropped: 0 };
      const isSame = total >= last.total;
      window.frameCounts.total += total - (isSame ? last.total : 0);
      window.frameCounts.dropped += Math.max(0, dropped - (isSame ? last.dropped : 0));
      before.set(video, { total, dropped });
    }
  }, 1_000);
}

export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
