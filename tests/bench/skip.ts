import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, JSHandle, Page } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { alternate } from './alternate.ts';
import { launchBrowser, viewport } from './browser.ts';
import { amount } from './form.ts';
import { watchFrames } from './frame-watch.ts';
import { median, quantile } from './samples.ts';
import type { Site } from './site.ts';
import { startSite, untilWorkerRests } from './site.ts';
import { waitForMoving } from './start.ts';
import { printAmounts, printDuels } from './table.ts';

const rounds = Number(process.env.ROUNDS ?? amount(6, 1));
/** The first of a visit meets what a page still does after its start, and is not counted. */
const skipsPerVisit = amount(11, 2);
/** The peer's element has presented its picture before the key; the product does not say when its own has. */
const pictureWithinMs = 300;

/** Milliseconds from the key. */
interface Skip {
  /** To the frame in which the next picture lies on top. */
  readonly shown: number;
  /** To that video's first new picture after it. */
  readonly moving: number;
}

/** One key meets a frame early, another one late: what is compared are the medians of whole visits. */
type Visit = readonly Skip[];

type SkipOnce = (page: Page, address: string) => Promise<Skip>;

/**
 * From the key to the next video, prepared and unprepared, against a bare page that does the same by hand with
 * addresses it knows.
 */
export async function measureSkip(): Promise<void> {
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const [prepared, barePrepared] = await measure(browser, site, { isPrepared: true });
    const [plain, barePlain] = await measure(browser, site, { isPrepared: false });
    const duel = (what: string, pick: (skip: Skip) => number, product: Visit[], peer: Visit[], floor: number) => ({
      what,
      product: product.map((skips) => median(skips.map(pick))),
      peer: peer.map((skips) => median(skips.map(pick))),
      goal: 1.15,
      floor,
    });
    printDuels(
      `Skip, medians of ${rounds} visits with ${skipsPerVisit - 1} each, four playing, two where nothing is prepared; peer: the bare page with a preloaded element, or changing a src it knows`,
      [
        duel('prepared: key to the next picture', ({ shown }) => shown, prepared, barePrepared, 1.5),
        duel('prepared: key to its next new picture', ({ moving }) => moving, prepared, barePrepared, 1.5),
        duel('unprepared: key to the next picture', ({ shown }) => shown, plain, barePlain, 1.5),
      ],
    );
    const p99 = (visits: Visit[]) =>
      quantile(
        visits.flat().map(({ shown }) => shown),
        0.99,
      );
    printAmounts('Skip, the slowest of a hundred', [
      { what: 'prepared, p99', value: p99(prepared), unit: 'ms', goal: 200, floor: 480 },
      {
        what: 'prepared, p99 of the bare page',
        value: p99(barePrepared),
        unit: 'ms',
        goal: 200,
        floor: Number.POSITIVE_INFINITY,
      },
    ]);
  } finally {
    await browser.close();
    await site.stop();
  }
}

async function measure(
  browser: Browser,
  site: Site,
  { isPrepared }: { isPrepared: boolean },
): Promise<[Visit[], Visit[]]> {
  return alternate(
    rounds,
    () => visit(browser, site, site.address, { isPrepared, skip: isPrepared ? skipPrepared : skipUnprepared }),
    async () =>
      visit(browser, site, await site.drawBareAddress(playingOf({ isPrepared })), {
        isPrepared,
        skip: isPrepared ? skipBarePrepared : skipBare,
      }),
  );
}

async function visit(
  browser: Browser,
  site: Site,
  address: string,
  { isPrepared, skip }: { isPrepared: boolean; skip: SkipOnce },
): Promise<Visit> {
  const context = await browser.newContext({ viewport });
  await context.addInitScript(watchFrames);
  if (!isPrepared) await context.addInitScript(saveData);
  try {
    const clips = await site.drawClips(skipsPerVisit);
    const page = await context.newPage();
    await page.goto(address);
    const playing = playingOf({ isPrepared });
    await waitForMoving(page, -1, playing);
    await page.mouse.click(viewport.width / 2, viewport.height / 2);
    await waitForMoving(page, await page.evaluate(() => window.lastClickAt), playing);
    await untilWorkerRests(page);
    const skips: Skip[] = [];
    for (const clip of clips) skips.push(await skip(page, clip));
    return skips.slice(1);
  } finally {
    await context.close();
  }
}

/** Whoever counts bytes has two of the four playing; the others rest. */
function playingOf({ isPrepared }: { isPrepared: boolean }): number {
  return isPrepared ? quadrants.length : 2;
}

/** Runs in the page: the viewer counts bytes, so that the product prepares nothing. */
function saveData(): void {
  Object.defineProperty(navigator, 'connection', { get: () => ({ saveData: true }) });
}

async function skipPrepared(page: Page): Promise<Skip> {
  await page.waitForFunction(() => {
    const back = document.querySelector<HTMLVideoElement>(
      '[data-quadrant="top-left"] video[data-layer="back"][data-peeks]',
    );
    return back !== null && back.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
  });
  await delay(pictureWithinMs);
  return skipProduct(page);
}

/** The quadrant whose controls are up is one of the two that play. */
async function skipUnprepared(page: Page): Promise<Skip> {
  await page.mouse.move(viewport.width / 4, viewport.height / 4);
  await page.locator('section[data-quadrant="top-left"][data-phase="playing"]').waitFor();
  return skipProduct(page);
}

/** The next picture is on screen in the frame after its layer came to the front. */
async function skipProduct(page: Page): Promise<Skip> {
  const quadrant = page.locator('section[data-quadrant="top-left"]');
  await quadrant.focus();
  const watch = await quadrant.evaluateHandle((section) => {
    const findFront = () => section.querySelector<HTMLVideoElement>('video[data-layer="front"]');
    const left = findFront();
    let pressedAt = 0;
    const press = ({ timeStamp }: KeyboardEvent) => {
      pressedAt = timeStamp;
    };
    addEventListener('keydown', press, { capture: true, once: true });
    const times = new Promise<{ shown: number; moving: number }>((resolve) => {
      const layerWatch = new MutationObserver(() => {
        const front = findFront();
        if (front === null || front === left) return;
        layerWatch.disconnect();
        const shownAt = new Promise<number>((tell) => requestAnimationFrame(tell));
        const movingAt = new Promise<number>((tell) => front.requestVideoFrameCallback(tell));
        void Promise.all([shownAt, movingAt]).then(([shown, moving]) =>
          resolve({ shown: shown - pressedAt, moving: moving - pressedAt }),
        );
      });
      layerWatch.observe(section, { subtree: true, attributes: true, attributeFilter: ['data-layer'] });
    });
    return { times };
  });
  return pressAndWait(page, watch);
}

/** What a page without an engine would do: an element beneath the first, with its picture there, is put on top. */
async function skipBarePrepared(page: Page, address: string): Promise<Skip> {
  const watch = await page.evaluateHandle(async (next) => {
    const [video] = document.querySelectorAll('video');
    if (video === undefined) throw new Error('the bare page has no video');
    const following = video.cloneNode() as HTMLVideoElement;
    const { left, top, width, height } = video.getBoundingClientRect();
    following.style.cssText = `position:fixed;z-index:-1;left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
    following.src = next;
    document.body.append(following);
    await new Promise((tell) => following.requestVideoFrameCallback(tell));
    const times = new Promise<{ shown: number; moving: number }>((resolve) => {
      const change = async ({ timeStamp }: KeyboardEvent) => {
        following.style.zIndex = '1';
        void following.play();
        const shownAt = new Promise<number>((tell) => requestAnimationFrame(tell));
        const movingAt = new Promise<number>((tell) => following.requestVideoFrameCallback(tell));
        const [shown, moving] = await Promise.all([shownAt, movingAt]);
        video.src = next;
        void video.play();
        following.removeAttribute('src');
        following.load();
        following.remove();
        resolve({ shown: shown - timeStamp, moving: moving - timeStamp });
      };
      addEventListener('keydown', (event) => void change(event), { capture: true, once: true });
    });
    return { times };
  }, address);
  return pressAndWait(page, watch);
}

async function skipBare(page: Page, address: string): Promise<Skip> {
  const watch = await page.evaluateHandle((next) => {
    const video = document.querySelector('video');
    if (video === null) throw new Error('the bare page has no video');
    const times = new Promise<{ shown: number; moving: number }>((resolve) => {
      const change = ({ timeStamp }: KeyboardEvent) => {
        video.src = next;
        void video.play();
        video.requestVideoFrameCallback((at) => resolve({ shown: at - timeStamp, moving: at - timeStamp }));
      };
      addEventListener('keydown', change, { capture: true, once: true });
    });
    return { times };
  }, address);
  return pressAndWait(page, watch);
}

/** The page listens before the key goes down. */
async function pressAndWait(page: Page, watch: JSHandle<{ times: Promise<Skip> }>): Promise<Skip> {
  await page.keyboard.press('MediaTrackNext');
  const found = await page.waitForFunction(({ times }) => times, watch, { timeout: 20_000 });
  return (await found.jsonValue()) as Skip;
}
