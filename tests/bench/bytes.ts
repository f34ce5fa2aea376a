import { request } from 'node:http';
import type { CDPSession, Page } from '@playwright/test';
import { launchBrowser, viewport } from './browser.ts';
import { watchFrames } from './frame-watch.ts';
import { startSite } from './site.ts';
import { waitForFour } from './start.ts';
import { printAmounts } from './table.ts';

interface Loaded {
  readonly address: string;
  readonly type: string;
  /** Bytes on the wire, head and body. */
  readonly bytes: number;
}

const kib = 1024;
/** What the budget weighs: the page itself, without its font. */
const weighed = ['Document', 'Script', 'Stylesheet'];
/** What is not the page: calls, and the videos they name. */
const content = ['Fetch', 'XHR', 'Media'];

/** What a first visit to the feed costs, and what the worker keeps for offline, as they cross the wire. */
export async function measureBytes(): Promise<void> {
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport });
    await context.addInitScript(watchFrames);
    const page = await context.newPage();
    const loads = await listenForLoads(await context.newCDPSession(page));
    await page.goto(site.address);
    await waitForFour(page, -1);
    await page.locator('[aria-label="Expand"]').first().waitFor({ state: 'attached' });
    const files = loads().filter(({ type }) => !content.includes(type));
    const kept = await weighKept(page);
    const sum = (found: readonly Loaded[]) => found.reduce((total, { bytes }) => total + bytes, 0) / kib;
    printAmounts('Bytes of a first visit (cold, brotli, heads included)', [
      { what: 'feed: HTML, scripts, styles', value: sum(files.filter(({ type }) => weighed.includes(type))), unit: 'KiB', goal: 90, floor: 110 },
      { what: 'feed: requests until it is drawn, without calls and videos', value: files.length, unit: '', goal: 8, floor: 12 },
      { what: 'kept by the worker, without fonts', value: kept / kib, unit: 'KiB', goal: 220, floor: 320 },
    ]);
    for (const { address, type, bytes } of loads()) console.log(`  ${type.padEnd(11)} ${String(bytes).padStart(8)}  ${new URL(address).pathname}`);
  } finally {
    await browser.close();
    await site.stop();
  }
}

async function listenForLoads(devtools: CDPSession): Promise<() => Loaded[]> {
  const types = new Map<string, { address: string; type: string }>();
  const loaded: Loaded[] = [];
  devtools.on('Network.responseReceived', ({ requestId, type, response }) => types.set(requestId, { address: response.url, type }));
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const { address, type } = types.get(requestId) ?? { address: '', type: 'Other' };
    loaded.push({ address, type, bytes: encodedDataLength });
  });
  await devtools.send('Network.enable');
  return () => loaded;
}

/** Bodies as they cross the wire, for every file in the worker's cache. */
async function weighKept(page: Page): Promise<number> {
  const addresses = await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
    return (await Promise.all(caches.map((cache) => cache.keys()))).flat().map(({ url }) => url);
  });
  const sizes = await Promise.all(addresses.filter((address) => !/\.woff2/.test(address)).map(weigh));
  return sizes.reduce((total, bytes) => total + bytes, 0);
}

function weigh(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(address, { headers: { 'accept-encoding': 'br, gzip' } }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.once('end', () => resolve(bytes));
    });
    asked.once('error', reject);
    asked.end();
  });
}
