import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserContext, Page } from '@playwright/test';
import { chromium } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { countKept } from '#tests/e2e/kept-in-page.ts';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { alternate } from './alternate.ts';
import { browserOptions, launchBrowser, viewport } from './browser.ts';
import { amount } from './form.ts';
import { watchFrames } from './frame-watch.ts';
import { startSite, untilWorkerRests } from './site.ts';
import { openFour } from './start.ts';
import { printAmounts, printDuels } from './table.ts';

const rounds = amount(7, 1);
const largeMegabytes = [amount(210, 4), amount(1_000, 8)];
const megabyte = 1_000_000;
const askEveryMs = 500;

/**
 * How soon four saved videos stand after a cold start without the server: small ones against a bare page with four videos
 * of the same server, large ones against the same page with the server, and what they cost.
 */
export async function measureSaved(): Promise<void> {
  await measureReel();
  await measure('the demo clips', { peer: 'bare', goal: 1 });
  const [some = [], more = []] = [
    await measureLarge(largeMegabytes[0] ?? 0),
    await measureLarge(largeMegabytes[1] ?? 0),
  ];
  printDuels(`The same with files of ${largeMegabytes.join(' MB and of ')} MB, one after the other`, [
    { what: 'navigation to four stills', product: more, peer: some, goal: 1, floor: 1.2 },
  ]);
}

async function measureLarge(megabytes: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-bench-'));
  try {
    for (const quadrant of quadrants) await writeLargeVideo(join(folder, `${quadrant}.mp4`), megabytes * megabyte);
    return await measure(`four files of ${megabytes} MB`, { peer: 'served', goal: 1.5, libraryDirs: [folder] });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Measured {
  goal: number;
  /** A bare page with the four videos in the browser's cache, or the same page that asks the server for them each time. */
  peer: 'bare' | 'served';
  libraryDirs?: string[];
}

/** @returns milliseconds from each navigation to four stills of saved videos */
async function measure(what: string, { goal, peer: peerKind, ...library }: Measured): Promise<number[]> {
  const site = await startSite(library);
  // A private window would keep its files in memory.
  const profile = await mkdtemp(join(tmpdir(), 'fourfold-profile-'));
  const kept = await chromium.launchPersistentContext(profile, { ...(await browserOptions()), viewport });
  const browser = await launchBrowser();
  try {
    await kept.addInitScript(watchFrames);
    // The usual space is a quarter of what the browser grants, which is less than the largest four take.
    await kept.addInitScript(() => localStorage.setItem('fourfold.saved-gigabytes', '10'));
    await keepFour(kept, site.address);
    await kept.setOffline(true);
    const other = await browser.newContext({ viewport });
    await other.addInitScript(watchFrames);
    const peerAddress = peerKind === 'bare' ? await site.drawBareAddress() : site.address;
    const most = { product: 0, peer: 0 };
    const visitPeer = async () => {
      const page = await other.newPage();
      if (peerKind === 'served')
        await (await other.newCDPSession(page)).send('Network.setCacheDisabled', { cacheDisabled: true });
      return visit(page, peerAddress, (megabytes) => {
        most.peer = Math.max(most.peer, megabytes);
      });
    };
    const visitProduct = async () =>
      visit(await kept.newPage(), site.address, (megabytes) => {
        most.product = Math.max(most.product, megabytes);
      });
    await visitPeer();
    const [product, peer] = await alternate(rounds, visitProduct, visitPeer);
    printDuels(
      `Start without the server from ${what}, ${rounds} visits each in turn; peer: ${peerKind === 'bare' ? 'a bare page, warm' : 'the same page with the server, over HTTP'}`,
      [{ what: 'navigation to four stills', product, peer, goal, floor: 1.5 }],
    );
    printAmounts('All processes of the browser, with four videos on screen', [
      { what: 'saved, beyond the peer', value: most.product - most.peer, unit: 'MB', goal: 100, floor: 150 },
    ]);
    return product;
  } finally {
    await kept.close();
    await browser.close();
    await site.stop();
    await rm(profile, { recursive: true, force: true });
  }
}

/**
 * @param look hears how much memory all processes of the browser take with the four stills
 * @returns milliseconds from the navigation to the fourth still on screen
 */
async function visit(page: Page, address: string, look: (megabytes: number) => void): Promise<number> {
  try {
    const stills = await openFour(page, address);
    look(await readBrowserMegabytes());
    return stills;
  } finally {
    await page.close();
  }
}

/** Keeps what the four quadrants show, as somebody with a mouse does. */
async function keepFour(context: BrowserContext, address: string): Promise<void> {
  const page = await context.newPage();
  await openFour(page, address);
  await page.mouse.click(viewport.width / 2, viewport.height / 2);
  await untilWorkerRests(page);
  for (const quadrant of quadrants) {
    await page.locator(`section[data-quadrant="${quadrant}"]`).click({ button: 'right', position: { x: 200, y: 120 } });
    await page.getByRole('button', { name: 'Keep offline' }).click();
    const dialog = page.getByRole('dialog', { name: 'Keep offline' });
    await dialog.getByRole('button', { name: 'Keep offline' }).click();
    await dialog.waitFor({ state: 'detached' });
  }
  while ((await page.evaluate(countKept, 'chosen')) < quadrants.length) await delay(askEveryMs);
  await page.close();
}

const watchedVideos = amount(20, 4);

/**
 * What the server sends while videos are watched and kept by themselves, against what the players alone had asked for.
 */
async function measureReel(): Promise<void> {
  const site = await startSite();
  const profile = await mkdtemp(join(tmpdir(), 'fourfold-profile-'));
  const context = await chromium.launchPersistentContext(profile, { ...(await browserOptions()), viewport });
  try {
    await context.addInitScript(countEnded);
    const page = await context.newPage();
    const sent = await watchSent(page);
    await page.goto(site.address);
    await page.getByRole('button', { name: 'Tap anywhere to play all videos' }).click();
    while ((await page.evaluate(() => window.endedVideos)) < watchedVideos) await delay(askEveryMs);
    // Watched videos are copied a piece a second.
    for (let before = -1, now = 0; before !== now; [before, now] = [now, await page.evaluate(countKept, 'reel')])
      await delay(10 * askEveryMs);
    const kept = await page.evaluate(countKept, 'reel');
    const { byFeed, byReel } = sent;
    printDuels(`Bytes that the server sends until ${watchedVideos} videos were watched and ${kept} of them kept`, [
      {
        what: 'with the reel; peer: without',
        unit: 'MB',
        product: [(byFeed() + byReel()) / megabyte],
        peer: [byFeed() / megabyte],
        goal: 1.1,
        floor: 1.1,
      },
    ]);
  } finally {
    await context.close();
    await site.stop();
    await rm(profile, { recursive: true, force: true });
  }
}

declare global {
  interface Window {
    endedVideos: number;
  }
}

/** Runs in the page before its own scripts. */
function countEnded(): void {
  window.endedVideos = 0;
  document.addEventListener('ended', () => (window.endedVideos += 1), true);
}

/**
 * Counts bytes of videos that came over the network, and not out of the browser's cache. The feed fetches the first bytes
 * of a video before its player asks for any, and the reel copies it afterwards.
 */
async function watchSent(page: Page): Promise<{ byFeed(): number; byReel(): number }> {
  const session = await page.context().newCDPSession(page);
  const kinds = new Map<string, 'feed' | 'reel'>();
  const bytes = { feed: 0, reel: 0 };
  const played = new Set<string>();
  session.on('Network.requestWillBeSent', ({ requestId, request: { url }, type }) => {
    if (!url.includes('/api/video/stream')) return;
    if (type === 'Media') played.add(url);
    kinds.set(requestId, type === 'Media' || !played.has(url) ? 'feed' : 'reel');
  });
  session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId);
    if (kind) bytes[kind] += encodedDataLength;
  });
  await session.send('Network.enable');
  return { byFeed: () => bytes.feed, byReel: () => bytes.reel };
}

/** What all processes of the browser hold in memory of their own. */
async function readBrowserMegabytes(): Promise<number> {
  let kilobytes = 0;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // A process may end while it is looked at.
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes('chromium')) continue;
    const rollup = await readFile(`/proc/${name}/smaps_rollup`, 'utf8').catch(() => '');
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }
  return kilobytes / 1_000;
}
