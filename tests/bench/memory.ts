import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { switchBare } from './bare-switches.ts';
import { launchBrowser, viewport } from './browser.ts';
import { amount } from './form.ts';
import { watchFrames } from './frame-watch.ts';
import { countLiveVideos, watchSources } from './live-videos.ts';
import type { Site } from './site.ts';
import { startSite } from './site.ts';
import { waitForFour } from './start.ts';
import type { Amount } from './table.ts';
import { printAmounts } from './table.ts';

/** Until then caches and pools fill. */
const settledAfter = amount(60, 4);
const watched = amount(180, 4);
const purgesForMs = 2_000;
const switchesWithinMs = 10_000;
const intervalMs = 120_000;
const megabyte = 1024 * 1024;

interface State {
  /** Of all the browser's processes, without what they share. */
  readonly megabytes: number;
  readonly heapMegabytes: number;
}

interface Grown {
  readonly settled: State;
  readonly end: State;
}

/**
 * Hours of switches on the page's fake clock: what the browser holds, and whether anything is left behind. The driver
 * of the browser keeps much of what its page fetches, videos too: so the bare page changes its sources as often, and
 * what that adds is not the product's.
 */
export async function measureMemory(): Promise<void> {
  const site = await startSite();
  try {
    const bare = await withBrowser((browser) => watchBare(browser, site));
    const amounts = await withBrowser((browser) => watchProduct(browser, site, growthOf(bare)));
    printAmounts(
      `Memory over ${watched} switches, after ${settledAfter}; peer: the bare page, changing its sources as often`,
      amounts,
    );
  } finally {
    await site.stop();
  }
}

async function withBrowser<Result>(work: (browser: Browser) => Promise<Result>): Promise<Result> {
  const browser = await launchBrowser();
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

async function watchBare(browser: Browser, site: Site): Promise<Grown> {
  const page = await (await browser.newContext({ viewport })).newPage();
  await page.goto(await site.drawBareAddress());
  await page.mouse.click(viewport.width / 2, viewport.height / 2);
  await switchBare(page, site, settledAfter);
  const settled = await lookAt(browser, page);
  await switchBare(page, site, watched);
  return { settled, end: await lookAt(browser, page) };
}

async function watchProduct(browser: Browser, site: Site, bareMegabytes: number): Promise<Amount[]> {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(watchFrames);
  await context.addInitScript(watchSources);
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(site.address);
  await waitForFour(page, -1);
  await page.mouse.click(viewport.width / 2, viewport.height / 2);
  await waitForFour(page, await page.evaluate(() => window.lastClickAt));
  await switchSoOften(page, settledAfter);
  const settled = await lookAt(browser, page);
  await switchSoOften(page, watched);
  const end = await lookAt(browser, page);
  const { elements, detached } = await countLiveVideos(page);
  const share = (percent: number) => Math.round(bareMegabytes + (settled.megabytes * percent) / 100);
  return [
    {
      what: `all processes, at ${Math.round(settled.megabytes)} MB then, grew by`,
      value: growthOf({ settled, end }),
      unit: 'MB',
      goal: share(2),
      floor: share(10),
    },
    { what: 'JavaScript heap', value: end.heapMegabytes, unit: 'MB', goal: 12, floor: 24 },
    {
      what: 'sources at once, at most',
      value: await page.evaluate(() => window.mostSources),
      unit: '',
      goal: 6,
      floor: 6,
    },
    { what: 'elements beyond the eight layers', value: elements - 2 * quadrants.length, unit: '', goal: 0, floor: 0 },
    { what: 'elements left out of the page', value: detached, unit: '', goal: 0, floor: 0 },
  ];
}

function growthOf({ settled, end }: Grown): number {
  return end.megabytes - settled.megabytes;
}

/** The interval passes for all four at once, as often as that makes so many switches. */
async function switchSoOften(page: Page, count: number): Promise<void> {
  for (let done = 0; done < count; done += quadrants.length) {
    const before = await page.evaluate(listShown);
    // Once more for a quadrant that was waiting for data just then: it counts playing time only.
    do await page.clock.fastForward(intervalMs);
    while (!(await haveSwitched(page, before)));
  }
}

function haveSwitched(page: Page, before: (string | null)[]): Promise<boolean> {
  const areOthers = (old: (string | null)[]) =>
    [...document.querySelectorAll('section[data-quadrant]')].every(
      (section, at) =>
        section.getAttribute('data-video-id') !== old[at] && section.getAttribute('data-phase') === 'playing',
    );
  const seen = page.waitForFunction(areOthers, before, { timeout: switchesWithinMs });
  return seen.then(
    () => true,
    () => false,
  );
}

/** Runs in the page. */
function listShown(): (string | null)[] {
  return [...document.querySelectorAll('section[data-quadrant]')].map((section) =>
    section.getAttribute('data-video-id'),
  );
}

async function lookAt(browser: Browser, page: Page): Promise<State> {
  // What the bench itself has written down is not the product's.
  await page.evaluate(() => window.presentedFrames?.splice(0).length);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('Memory.simulatePressureNotification', { level: 'critical' });
  await delay(purgesForMs);
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  await devtools.detach();
  const system = await browser.newBrowserCDPSession();
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  const sizes = await Promise.all(processInfo.map(({ id }) => readPrivate(id)));
  return { megabytes: sizes.reduce((sum, size) => sum + size, 0), heapMegabytes: usedSize / megabyte };
}

/** Megabytes that a process has for itself. */
async function readPrivate(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const kilobytes = [...text.matchAll(/^Private_\w+:\s+(\d+)/gm)].reduce((sum, [, size]) => sum + Number(size), 0);
  return kilobytes / 1024;
}
