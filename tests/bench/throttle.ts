import type { Browser, Page } from '@playwright/test';
import { launchBrowser } from './browser.ts';
import { amount } from './form.ts';
import { watchFrames } from './frame-watch.ts';
import { quantile } from './samples.ts';
import { startSite, untilWorkerRests } from './site.ts';
import type { Watched } from './smoothness.ts';
import { countFrames, droppedPercent, tenths } from './smoothness.ts';
import { waitForFour } from './start.ts';
import type { Amount } from './table.ts';
import { printAmounts, printDuels } from './table.ts';

/** The browser counts interactions in steps of 8 ms and tells of none below this. */
const shortestToldMs = 16;
const television = { width: 1920, height: 1080 };
/** The least number of presses, and for how long somebody presses at a sixth of the processor. */
const circles = amount(15, 1);
const minuteMs = amount(60_000, 0);
const circle = ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp'];

declare global {
  interface Window {
    /** Of each key: milliseconds from its press to the frame that shows what it did. */
    keyDelays: number[];
  }
}

/**
 * On a television's slow processor: from an arrow key to the frame that shows the focus elsewhere, while four videos
 * play, and what a minute of pressing does to them.
 */
export async function measureThrottle(): Promise<void> {
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const product = await visit(browser, `${site.address}?form=tv`, openProduct);
    const peer = await visit(browser, await site.drawBareAddress(), openBare);
    const title = `Arrow key to focus, ${circles * circle.length} presses and more, four videos playing, ${television.width}×${television.height}`;
    printDuels(`${title}; peer: the bare page moves the focus by itself`, [
      {
        what: 'processor at a quarter',
        product: product.quarter.delays,
        peer: peer.quarter.delays,
        goal: 1.5,
        floor: 2.5,
      },
      { what: 'processor at a sixth', product: product.sixth.delays, peer: peer.sixth.delays, goal: 1.5, floor: 2.5 },
    ]);
    printAmounts(`${title}, p98`, [
      slowest('processor at a quarter', product.quarter.delays, peer.quarter.delays, 80, 200),
      slowest('processor at a sixth', product.sixth.delays, peer.sixth.delays, 150, 300),
    ]);
    const [dropped, bareDropped] = [droppedPercent([product.sixth]), droppedPercent([peer.sixth])];
    const [longest, bareLongest] = [product.sixth.longestTask, peer.sixth.longestTask];
    printAmounts(`${minuteMs / 1_000} s of it with the processor at a sixth`, [
      {
        what: `frames dropped (bare page ${tenths(bareDropped)} %)`,
        value: dropped,
        unit: '%',
        goal: tenths(bareDropped + 1),
        floor: tenths(bareDropped + 3),
      },
      {
        what: `longest task (bare page ${Math.round(bareLongest)} ms)`,
        value: longest,
        unit: 'ms',
        goal: Math.max(300, Math.round(1.15 * bareLongest)),
        floor: Math.max(450, Math.round(1.5 * bareLongest)),
      },
    ]);
  } finally {
    await browser.close();
    await site.stop();
  }
}

/** A machine on which the bare page is slow has no say. */
function slowest(what: string, product: number[], peer: number[], goal: number, floor: number): Amount {
  const [value, bare] = [quantile(product, 0.98), quantile(peer, 0.98)];
  return {
    what: `${what} (bare page ${Math.round(bare)} ms)`,
    value,
    unit: 'ms',
    goal: Math.max(goal, Math.round(1.15 * bare)),
    floor: Math.max(floor, Math.round(1.5 * bare)),
  };
}

interface Pressed extends Watched {
  /** Milliseconds from each key to the frame that shows what it did. */
  readonly delays: number[];
  /** Milliseconds. */
  readonly longestTask: number;
}

interface Presses {
  readonly quarter: Pressed;
  readonly sixth: Pressed;
}

async function visit(browser: Browser, address: string, open: (page: Page) => Promise<void>): Promise<Presses> {
  const context = await browser.newContext({ viewport: television });
  await context.addInitScript(watchFrames);
  await context.addInitScript(watchKeys);
  await context.addInitScript(countFrames);
  try {
    const page = await context.newPage();
    await page.goto(address);
    await waitForFour(page, -1);
    await open(page);
    await waitForFour(page, await page.evaluate(() => performance.now()));
    await untilWorkerRests(page);
    await page.evaluate(() => (window.isFrameWatchOver = true));
    return { quarter: await pressAround(page, 4, 0), sixth: await pressAround(page, 6, minuteMs) };
  } finally {
    await context.close();
  }
}

async function openProduct(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Tap anywhere to play all videos' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('section[data-quadrant="top-left"]').focus();
}

/**
 * The least that moves a focus: four things that can have it, and one step around. Its videos play on, as the product's
 * do.
 */
async function openBare(page: Page): Promise<void> {
  await page.mouse.click(television.width / 2, television.height / 2);
  await page.evaluate(() => {
    const around = [0, 1, 3, 2].map((at) => document.querySelectorAll('video')[at]);
    for (const [at, video] of around.entries()) {
      video?.setAttribute('loop', '');
      video?.setAttribute('tabindex', '0');
      video?.setAttribute('data-quadrant', String(at));
    }
    addEventListener('keydown', (event) => {
      event.preventDefault();
      const at = around.indexOf(document.activeElement as HTMLVideoElement);
      around[(at + 1) % around.length]?.focus();
    });
    around[0]?.focus();
  });
}

/** Presses as often as the screen answers: a number of times, and on until `forMs` has passed. */
async function pressAround(page: Page, slowdown: number, forMs: number): Promise<Pressed> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.evaluate(() => {
    window.keyDelays.splice(0);
    Object.assign(window, { frameCounts: { total: 0, dropped: 0 }, longTasks: 0, longestTask: 0 });
  });
  const endsAt = performance.now() + forMs;
  let turns = 0;
  for (; turns < circles || performance.now() < endsAt; turns += 1)
    for (const key of circle) await pressAndSee(page, key);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  const { told, ...counts } = await page.evaluate(() => ({
    ...window.frameCounts,
    told: window.keyDelays,
    longTasks: window.longTasks,
    longestTask: window.longestTask,
  }));
  const untold = Math.max(0, turns * circle.length - told.length);
  return { ...counts, delays: [...told, ...Array.from({ length: untold }, () => shortestToldMs)] };
}

/** Nobody presses faster than the screen answers. */
async function pressAndSee(page: Page, key: string): Promise<void> {
  const before = await page.evaluate(() => document.activeElement?.getAttribute('data-quadrant'));
  await page.keyboard.press(key);
  await page.waitForFunction((old) => document.activeElement?.getAttribute('data-quadrant') !== old, before, {
    polling: 'raf',
  });
}

/** Runs in the page before its own scripts. */
function watchKeys(): void {
  window.keyDelays = [];
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') window.keyDelays.push(duration);
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}
