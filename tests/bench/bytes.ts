import { request } from 'node:http';
import type { CDPSession, Page } from '@playwright/test';
import { feedFilesOf, readBuildManifest } from '#scripts/online-files.ts';
import { launchBrowser, viewport } from './browser.ts';
import { startSite } from './site.ts';
import { printAmounts } from './table.ts';

interface Loaded {
  readonly address: string;
  readonly type: string;
  /** Bytes on the wire. */
  readonly body: number;
  readonly head: number;
}

const kib = 1024;
/** What a first visit to the feed costs, and what the worker keeps for offline, as they cross the wire. */
export async function measureBytes(): Promise<void> {
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport });
    const page = await context.newPage();
    const loads = await listenForLoads(await context.newCDPSession(page));
    await page.goto(site.address);
    const kept = await weighKept(page);
    const feedFiles = feedFilesOf(await readBuildManifest());
    const files = loads().filter(
      ({ address }) => address === site.address || feedFiles.has(new URL(address).pathname.slice(1)),
    );
    const sum = (part: (loaded: Loaded) => number) => files.reduce((total, loaded) => total + part(loaded), 0) / kib;
    printAmounts('Bytes of a first visit (cold, brotli)', [
      { what: 'feed: HTML, scripts, styles', value: sum(({ body }) => body), unit: 'KiB', goal: 90, floor: 110 },
      { what: 'feed: their heads on top', value: sum(({ head }) => head), unit: 'KiB', goal: 8, floor: 16 },
      { what: 'feed: their requests', value: files.length, unit: '', goal: 8, floor: 12 },
      { what: 'kept by the worker, without fonts', value: kept / kib, unit: 'KiB', goal: 220, floor: 320 },
    ]);
    for (const { address, type, body } of loads())
      console.log(`  ${type.padEnd(11)} ${String(body).padStart(8)}  ${new URL(address).pathname}`);
  } finally {
    await browser.close();
    await site.stop();
  }
}

async function listenForLoads(devtools: CDPSession): Promise<() => Loaded[]> {
  const answered = new Map<string, Omit<Loaded, 'head'>>();
  const loaded: Loaded[] = [];
  devtools.on('Network.responseReceived', ({ requestId, type, response: { url, headers } }) => {
    answered.set(requestId, {
      address: url,
      type,
      body: Number(headers['Content-Length'] ?? headers['content-length'] ?? 0),
    });
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const { body, ...rest } = answered.get(requestId) ?? { address: '', type: 'Other', body: 0 };
    loaded.push({ ...rest, body, head: encodedDataLength - body });
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
