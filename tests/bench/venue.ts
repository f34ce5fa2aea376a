import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import type { Product } from '#tests/support/product.ts';
import { startProduct } from '#tests/support/product.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';
import { launchBrowser, viewport } from './browser.ts';
import { amount } from './form.ts';
import { countLiveVideos } from './live-videos.ts';
import { printAmounts, printTable } from './table.ts';

/** Minutes of real time; `VENUE_MINUTES` sets another number. */
const minutes = Number(process.env.VENUE_MINUTES ?? amount(30, 0.5));
/** Chooses when what happens; `VENUE_SEED` repeats it. */
const seed = Number(process.env.VENUE_SEED ?? Math.floor(Math.random() * 1_000_000));
const minuteMs = 60_000;
/** The network is away for this share of the whole. */
const awayShare = 0.04;
const megabyte = 1024 * 1024;
const moveLimitMs = 60_000;
/** A video that the device has saved keeps one for its bytes, its poster and its stills, however often it plays. */
const urlsOfSaved = 3;

declare global {
  interface Window {
    /** Object URLs that were made and not revoked. */
    objectUrls: number;
  }
}

interface Held {
  heapMegabytes: number;
  elements: number;
  detached: number;
  objectUrls: number;
  listeners: number;
  nodes: number;
}

/**
 * A screen that plays by itself while its server restarts, its network goes and somebody touches it, each twice:
 * whether it holds more at the end.
 */
export async function measureVenue(): Promise<void> {
  const product = await startProduct();
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport });
    await context.addInitScript(countObjectUrls);
    const page = await context.newPage();
    await page.goto(`${product.address}/?venue=1`);
    await waitForFour(page);
    const start = performance.now();
    const until = (share: number) => delay(Math.max(0, start + share * minutes * minuteMs - performance.now()));
    await until(0.1);
    const first = await look(page);
    for (const { at, what } of drawDisturbances()) {
      await until(at);
      await disturb[what](page, product, until, at);
      await waitForFour(page);
    }
    await until(1);
    await waitForFour(page);
    printHeld(first, await look(page), await countVideos(product.address));
  } finally {
    await browser.close();
    await product.dispose();
  }
}

const disturb = {
  restart: async (_page: Page, product: Product) => {
    await product.stop();
    await product.start();
  },
  network: async (page: Page, _product: Product, until: (share: number) => Promise<void>, at: number) => {
    await page.context().setOffline(true);
    await until(at + awayShare);
    await page.context().setOffline(false);
  },
  touch: async (page: Page) => {
    await page.mouse.click(viewport.width / 2, viewport.height / 2);
    await page.keyboard.press('ArrowRight');
  },
};

/** Each kind twice, in an order and at shares of the time that the seed chooses. */
function drawDisturbances(): { at: number; what: keyof typeof disturb }[] {
  const random = seededRandom(seed);
  const kinds = Object.keys(disturb) as (keyof typeof disturb)[];
  const left = [...kinds, ...kinds];
  const slot = 0.8 / left.length;
  const drawn: { at: number; what: keyof typeof disturb }[] = [];
  for (let begin = 0.1; left.length > 0; begin += slot) {
    const at = begin + (slot - awayShare) * (random(1_000) / 1_000);
    drawn.push({ at, what: left.splice(random(left.length), 1)[0] as keyof typeof disturb });
  }
  return drawn;
}

function printHeld(first: Held, end: Held, videos: number): void {
  const grown = (key: keyof Held) => end[key] - first[key];
  const title = `A venue over ${minutes} minutes; its server restarts, its network goes and somebody touches it (seed ${seed})`;
  const names = Object.keys(first) as (keyof Held)[];
  printTable(
    title,
    ['', 'after the first tenth', 'at the end', 'ratio'],
    names.map((key) => [
      key,
      round(first[key]),
      round(end[key]),
      first[key] === 0 ? '-' : round(end[key] / first[key]),
    ]),
  );
  printAmounts(title, [
    { what: 'JavaScript heap grew by', value: grown('heapMegabytes'), unit: 'MB', goal: 5, floor: 8 },
    {
      what: 'elements beyond the eight layers',
      value: end.elements - 2 * quadrants.length,
      unit: '',
      goal: 0,
      floor: 0,
    },
    { what: 'elements left out of the page', value: end.detached, unit: '', goal: 0, floor: 0 },
    {
      what: 'object URLs beyond those of saved videos',
      value: Math.max(0, end.objectUrls - urlsOfSaved * videos),
      unit: '',
      goal: 0,
      floor: 0,
    },
    { what: 'listeners more', value: grown('listeners'), unit: '', goal: 20, floor: 60 },
    { what: 'nodes more', value: grown('nodes'), unit: '', goal: 20, floor: 100 },
  ]);
}

const round = (value: number) => String(Math.round(value * 100) / 100);

async function countVideos(address: string): Promise<number> {
  const status = (await (await fetch(`${address}/api/status`)).json()) as { TotalVideos: number };
  return status.TotalVideos;
}

/** Runs in the page before its own scripts. */
function countObjectUrls(): void {
  window.objectUrls = 0;
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = (source) => {
    window.objectUrls += 1;
    return createObjectURL.call(URL, source);
  };
  URL.revokeObjectURL = (url) => {
    window.objectUrls -= 1;
    revokeObjectURL.call(URL, url);
  };
}

async function waitForFour(page: Page): Promise<void> {
  const end = performance.now() + moveLimitMs;
  for (;;) {
    const before = await readPositions(page);
    await delay(1_000);
    const after = await readPositions(page);
    if (after.filter((position, at) => position !== before[at]).length === quadrants.length) return;
    if (performance.now() > end) throw new Error(`The venue shows ${before} and then ${after}: four do not move.`);
  }
}

function readPositions(page: Page): Promise<number[]> {
  return page
    .locator('main[data-venue] video[data-layer="front"]')
    .evaluateAll((videos) => videos.map((video) => (video as HTMLVideoElement).currentTime));
}

async function look(page: Page): Promise<Held> {
  const { elements, detached } = await countLiveVideos(page);
  const devtools = await page.context().newCDPSession(page);
  try {
    await devtools.send('Performance.enable');
    const { metrics } = await devtools.send('Performance.getMetrics');
    const read = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return {
      heapMegabytes: read('JSHeapUsedSize') / megabyte,
      ...{ elements, detached },
      objectUrls: await page.evaluate(() => window.objectUrls),
      listeners: read('JSEventListeners'),
      nodes: read('Nodes'),
    };
  } finally {
    await devtools.detach();
  }
}
