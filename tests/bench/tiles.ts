import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from '@playwright/test';
import type { PickReply } from '#contract/entities/feed.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import { alternate } from './alternate.ts';
import { launchBrowser, viewport } from './browser.ts';
import { amount } from './form.ts';
import { watchFrames } from './frame-watch.ts';
import { makeHeavyLibrary } from './heavy-library.ts';
import type { Site } from './site.ts';
import { startSite } from './site.ts';
import { droppedPercent, tenths, watch } from './smoothness.ts';
import { openFour } from './start.ts';
import { printAmounts, printDuels } from './table.ts';

const rounds = Number(process.env.ROUNDS ?? amount(5, 1));
/** 300 for the figure in full; bytes grow with the time, so that their ratio does not need it. */
const playedSeconds = Number(process.env.TILE_SECONDS ?? amount(45, 2));
const watchedMs = amount(20_000, 1_000);
/** More than the four that play, as what follows is fetched ahead. */
const files = 6;
const secondsEach = amount(40, 4);
const encodedWithinMs = 20 * 60_000;
const megabyte = 1_000_000;

/**
 * Four tiles from files of 1080 lines and 8 Mbit/s: the product with its encodings against the bare page with the
 * files, on a server that has no ffmpeg.
 */
export async function measureTiles(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-bench-'));
  const library = join(folder, 'library');
  makeHeavyLibrary(library, { files, seconds: secondsEach });
  const encoding = await startSite({ libraryDirs: [library], environment: { FFMPEG_PATH: '' } });
  const plain = await startSite({ libraryDirs: [library] });
  const browser = await launchBrowser();
  try {
    await untilAllHaveGrids(encoding.address);
    await measureStills(browser, encoding, plain);
    await measureTileBytes(browser, encoding, plain);
    await measureDrops(browser, encoding, plain);
  } finally {
    await browser.close();
    for (const site of [encoding, plain]) await site.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Draws as quadrants do that need less than the files have, until every video has an encoding for them. */
async function untilAllHaveGrids(address: string): Promise<void> {
  const encoded = new Set<string>();
  for (const end = performance.now() + encodedWithinMs; performance.now() < end; await delay(500)) {
    for (const quadrant of quadrants) {
      const query = new URLSearchParams({ width: '720', height: '405', exclude: [...encoded].join(',') });
      const answer = await fetch(`${address}api/video/${quadrant}?${query}`);
      const pick = answer.ok ? ((await answer.json()) as PickReply) : null;
      if (pick?.available && pick.renditions.some(({ name }) => name === 'grid')) encoded.add(pick.id);
    }
    if (encoded.size === files) return;
  }
  throw new Error(`${encoded.size} of ${files} videos have an encoding.`);
}

/** Milliseconds from the navigation. */
interface Stills {
  readonly first: number;
  readonly all: number;
}

async function measureStills(browser: Browser, encoding: Site, plain: Site): Promise<void> {
  const [visits, peer] = await alternate(
    rounds,
    async () => ({
      product: await visit(browser, encoding.address, readStills),
      bare: await visit(browser, await encoding.drawBareAddress(), readStills),
    }),
    async () => visit(browser, await plain.drawBareAddress(), readStills),
  );
  const all = visits.map(({ product }) => product.all);
  printDuels(`Four tiles from 1080 lines at 8 Mbit/s, ${rounds} first visits each in turn`, [
    {
      what: 'four stills; peer: the bare page with the files',
      product: all,
      peer: peer.map((stills) => stills.all),
      goal: 0.6,
      floor: 1,
    },
    {
      what: 'four stills; peer: the bare page with the encodings',
      product: all,
      peer: visits.map(({ bare }) => bare.all),
      goal: 1.15,
      floor: 1.5,
    },
    {
      what: 'the first of four; peer: all four of the same visits',
      product: visits.map(({ product }) => product.first),
      peer: all,
      goal: 0.8,
      floor: 1,
    },
  ]);
}

/** @param work gets the time of the fourth still */
async function visit<Result>(
  browser: Browser,
  address: string,
  work: (page: Page, stills: number) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(watchFrames);
  try {
    const page = await context.newPage();
    return await work(page, await openFour(page, address));
  } finally {
    await context.close();
  }
}

async function readStills(page: Page, all: number): Promise<Stills> {
  const first = await page.evaluate(() => Math.min(...window.presentedFrames.map(({ at }) => at)));
  return { first, all };
}

async function measureTileBytes(browser: Browser, encoding: Site, plain: Site): Promise<void> {
  const [product, peer] = await alternate(
    1,
    (round) => weigh(browser, encoding, async () => '', secondsOf(round)),
    (round) => weigh(browser, plain, async () => pathOf(await plain.drawBareAddress()), secondsOf(round)),
  );
  printDuels(`Bytes of four tiles in ${playedSeconds} s; peer: the bare page with the files, looping`, [
    { what: 'sent by the server', unit: 'MB', product, peer, goal: 0.125, floor: 0.333 },
  ]);
}

const secondsOf = (round: number) => (round === 0 ? 2 : playedSeconds);

function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return `${pathname.slice(1)}${search}`;
}

/** Megabytes that leave the server while four videos play, what is fetched ahead among them. */
async function weigh(browser: Browser, site: Site, drawPath: () => Promise<string>, seconds: number): Promise<number> {
  const network = await FaultyNetwork.start(site.address);
  const path = await drawPath();
  try {
    await visit(browser, `${network.address}/${path}`, async (page) => {
      await page.evaluate(() => {
        for (const video of document.querySelectorAll<HTMLVideoElement>('main > video')) video.loop = true;
        window.isFrameWatchOver = true;
      });
      await page.mouse.click(viewport.width / 2, viewport.height / 2);
      await delay(seconds * 1_000);
    });
    return network.toClient.bytes / megabyte;
  } finally {
    await network.close();
  }
}

async function measureDrops(browser: Browser, encoding: Site, plain: Site): Promise<void> {
  const slowly = (address: string, round: number) => watch(browser, address, round === 0 ? 2_000 : watchedMs, 4);
  const [product, peer] = await alternate(
    2,
    async (round) => ({
      encoded: await slowly(encoding.address, round),
      plain: await slowly(plain.address, round),
    }),
    async (round) => slowly(await plain.drawBareAddress(), round),
  );
  const bare = droppedPercent(peer);
  const row = (what: string, value: number) => ({
    what,
    value,
    unit: '%',
    goal: tenths(bare + 0.5),
    floor: tenths(bare + 2),
  });
  printAmounts(
    `Frames dropped of four files of 1080 lines at a quarter of the processor; bare page: ${tenths(bare)} %`,
    [
      row('by their encodings', droppedPercent(product.map(({ encoded }) => encoded))),
      row('as they are, without an ffmpeg', droppedPercent(product.map(({ plain }) => plain))),
    ],
  );
}
