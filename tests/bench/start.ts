import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { SavedFilters } from '#app/state/saved-filters.ts';
import { savedFiltersKey } from '#app/state/saved-filters.ts';
import type { TagList } from '#contract/entities/tag.ts';
import { quadrants } from '#contract/quadrants.ts';
import { limitDecoders } from '#tests/e2e/few-decoders.ts';
import { alternate } from './alternate.ts';
import { launchBrowser, viewport } from './browser.ts';
import { amount } from './form.ts';
import { watchFrames } from './frame-watch.ts';
import type { Site } from './site.ts';
import { startSite, untilWorkerRests } from './site.ts';
import type { Duel } from './table.ts';
import { printDuels } from './table.ts';

/** All in milliseconds. */
interface Start {
  /** From the navigation to the fourth still on screen. */
  readonly stills: number;
  /** From the tap to the first new frame of the fourth video. */
  readonly playing: number;
}

interface Visit {
  readonly cold: Start;
  readonly warm: Start;
}

const rounds = amount(9, 1);

/**
 * How soon four videos stand, and how soon after the tap all four advance, against a bare page with the same four files
 * from the same server.
 */
export async function measureStart(): Promise<void> {
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const [product, peer] = await alternate(
      rounds,
      () => visit(browser, site.address),
      async () => visit(browser, await site.drawBareAddress()),
    );
    const duel = (what: string, pick: (one: Visit) => number, goal: number, floor: number) => ({
      what,
      product: product.map(pick),
      peer: peer.map(pick),
      goal,
      floor,
    });
    printDuels(
      `Start, ${rounds} visits each in turn, ${viewport.width}×${viewport.height}; peer: a bare page with four <video> tags`,
      [
        duel('cold: navigation to four stills', ({ cold }) => cold.stills, 1.15, 1.5),
        duel('cold: tap to four advancing', ({ cold }) => cold.playing, 1.15, 1.5),
        duel('warm: navigation to four stills', ({ warm }) => warm.stills, 1.05, 1.4),
        duel('warm: tap to four advancing', ({ warm }) => warm.playing, 1.15, 1.5),
      ],
    );
    const filters = await filterAll(site.address);
    const [filtered, plain] = await alternate(
      rounds,
      () => visit(browser, site.address, filters),
      () => visit(browser, site.address),
    );
    const filteredDuel = (what: string, pick: (one: Visit) => number) => ({
      what,
      product: filtered.map(pick),
      peer: plain.map(pick),
      goal: 1.25,
      floor: 2,
    });
    printDuels(`Start with four saved filters, ${rounds} visits each in turn; peer: the same without filters`, [
      filteredDuel('cold: navigation to four stills', ({ cold }) => cold.stills),
      filteredDuel('warm: navigation to four stills', ({ warm }) => warm.stills),
    ]);
    await measureFewDecoders(browser, site);
  } finally {
    await browser.close();
    await site.stop();
  }
}

/** A first visit on devices whose further elements stand still. The bare page has as many elements as they have decoders. */
async function measureFewDecoders(browser: Browser, site: Site): Promise<void> {
  const duels: Duel[] = [];
  for (const decoders of [1, 2, 3]) {
    const [product, peer] = await alternate(
      rounds,
      () => tapToFirstMoving(browser, site.address, decoders),
      async () => tapToFirstMoving(browser, await site.drawBareAddress(), decoders),
    );
    duels.push({ what: `tap to the first moving picture, ${decoders} of 4`, product, peer, goal: 1.5, floor: 2.5 });
  }
  printDuels(`First visit on a device with few decoders, ${rounds} visits each in turn`, duels);
}

async function tapToFirstMoving(browser: Browser, address: string, decoders: number): Promise<number> {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(watchFrames);
  await context.addInitScript(limitDecoders, { decoders, way: 'standing time' as const });
  try {
    const page = await context.newPage();
    await openFour(page, address);
    await page.evaluate((most) => {
      for (const video of [...document.querySelectorAll('main > video')].slice(most)) video.remove();
    }, decoders);
    await page.mouse.click(viewport.width / 2, viewport.height / 2);
    const tappedAt = await page.evaluate(() => window.lastClickAt);
    return (await waitForMoving(page, tappedAt, 1)) - tappedAt;
  } finally {
    await context.close();
  }
}

/** What a device has stored where each quadrant is kept to the largest channel. */
async function filterAll(address: string): Promise<SavedFilters> {
  const { tags } = (await (await fetch(`${address}api/tags?sort_by=video_count&sort_order=desc`)).json()) as TagList;
  const own = { selectedTags: tags.slice(0, 1).map(({ id }) => id), filterMode: 'OR', timestamp: Date.now() } as const;
  return Object.fromEntries(quadrants.map((quadrant) => [quadrant, own]));
}

async function visit(browser: Browser, address: string, filters?: SavedFilters): Promise<Visit> {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(watchFrames);
  if (filters)
    await context.addInitScript(({ key, text }) => localStorage.setItem(key, text), {
      key: savedFiltersKey,
      text: JSON.stringify(filters),
    });
  try {
    const cold = await startOnce(context, address);
    await untilWorkerRests(cold.page);
    await cold.page.close();
    const warm = await startOnce(context, address);
    return { cold: cold.start, warm: warm.start };
  } finally {
    await context.close();
  }
}

async function startOnce(context: BrowserContext, address: string): Promise<{ page: Page; start: Start }> {
  const page = await context.newPage();
  const stills = await openFour(page, address);
  await page.mouse.click(viewport.width / 2, viewport.height / 2);
  const tappedAt = await page.evaluate(() => window.lastClickAt);
  const playing = (await waitForFour(page, tappedAt)) - tappedAt;
  return { page, start: { stills, playing } };
}

/** @returns milliseconds from the navigation to the fourth still on screen */
export async function openFour(page: Page, address: string): Promise<number> {
  // The page says so itself: to ask it meanwhile would take time of its main thread, which only one of the two needs.
  const fourPictures = page.waitForEvent('console', {
    predicate: (message) => message.text() === 'four pictures',
    timeout: 20_000,
  });
  await page.goto(address, { waitUntil: 'commit' });
  await fourPictures;
  return waitForFour(page, -1);
}

/** When the fourth element presented its first frame that shows something new after `since`. */
export function waitForFour(page: Page, since: number): Promise<number> {
  return waitForMoving(page, since, quadrants.length);
}

/** The same of so many elements. */
export async function waitForMoving(page: Page, since: number, count: number): Promise<number> {
  const found = await page.waitForFunction(
    ({ after, count }) => {
      const seen = new Map<number, { at: number; still: number }>();
      const firsts = new Map<number, number>();
      for (const { at, element, mediaTime } of window.presentedFrames) {
        const still = seen.get(element)?.still;
        if (at > after && mediaTime !== still && !firsts.has(element)) firsts.set(element, at);
        if (at <= after) seen.set(element, { at, still: mediaTime });
      }
      const times = [...firsts.values()].sort((one, other) => one - other);
      return times[count - 1] ?? null;
    },
    { after: since, count },
    { polling: 'raf', timeout: 20_000 },
  );
  const value = await found.jsonValue();
  if (value === null) throw new Error(`${count} videos did not come`);
  return value;
}
