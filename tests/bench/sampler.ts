import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from '@playwright/test';
import { recordPerformance } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { alternate } from './alternate.ts';
import { launchBrowser, viewport } from './browser.ts';
import { amount } from './form.ts';
import { watchFrames } from './frame-watch.ts';
import { median } from './samples.ts';
import { startSite } from './site.ts';
import { waitForFour } from './start.ts';
import { printAmounts } from './table.ts';

const rounds = Number(process.env.ROUNDS ?? amount(5, 1));
/** With one report of a healthy viewer. */
const windowMs = amount(limits.performanceReportSeconds + 4, 2) * 1_000;
const warmUpMs = 2_000;

interface Watched {
  /** Percent of a processor, over the window. */
  readonly tasks: number;
  readonly scripts: number;
  /** Bytes: of reports with their heads, and of videos. */
  readonly sent: number;
  readonly received: number;
}

/**
 * What measuring costs the feed: the same visit with and without the file that has sampler and reporter (and the
 * watchdog, so that it is the most that they can cost).
 */
export async function measureSampler(): Promise<void> {
  const site = await startSite();
  const browser = await launchBrowser();
  try {
    const [on, off] = await alternate(
      rounds,
      (round) => watch(browser, site.address, lengthOf(round), true),
      (round) => watch(browser, site.address, lengthOf(round), false),
    );
    const more = (field: 'tasks' | 'scripts') =>
      median(on.map((run, round) => run[field] - (off[round]?.[field] ?? Number.NaN)));
    const total = (runs: Watched[], field: keyof Watched) => runs.reduce((sum, run) => sum + run[field], 0);
    printAmounts(
      `Four playing for ${windowMs / 1000} s with and without sampler and reporter, ${rounds} times in turn`,
      [
        { what: 'processor: tasks of the page on top', value: more('tasks'), unit: '%', goal: 1, floor: 3 },
        { what: 'processor: its scripts on top', value: more('scripts'), unit: '%', goal: 1, floor: 3 },
        {
          what: 'bytes: reports, of those of the videos',
          value: (total(on, 'sent') / total(on, 'received')) * 100,
          unit: '%',
          goal: 1,
          floor: 2,
        },
      ],
    );
    console.log(
      `  tasks ${percents(on, 'tasks')} with, ${percents(off, 'tasks')} without; ` +
        `a report ${Math.round(total(on, 'sent') / rounds)} bytes, none without: ${total(off, 'sent') === 0}`,
    );
  } finally {
    await browser.close();
    await site.stop();
  }
}

function lengthOf(round: number): number {
  return round === 0 ? warmUpMs : windowMs;
}

function percents(runs: Watched[], field: 'tasks' | 'scripts'): string {
  return runs.map((run) => `${run[field].toFixed(1)} %`).join(', ');
}

async function watch(browser: Browser, address: string, watchedMs: number, isMeasuring: boolean): Promise<Watched> {
  const context = await browser.newContext({ viewport, serviceWorkers: 'block' });
  await context.addInitScript(watchFrames);
  try {
    const page = await context.newPage();
    if (!isMeasuring) await page.route('**/assets/monitors-*.js', (route) => route.abort());
    const devtools = await context.newCDPSession(page);
    const received = await countVideoBytes(devtools);
    const sent = countReports(page);
    await page.goto(address);
    await waitForFour(page, -1);
    await page.mouse.click(viewport.width / 2, viewport.height / 2);
    await waitForFour(page, await page.evaluate(() => window.lastClickAt));
    await page.evaluate(() => Object.assign(window, { isFrameWatchOver: true }));
    await devtools.send('Performance.enable');
    const before = await readSeconds(devtools);
    await delay(watchedMs);
    const after = await readSeconds(devtools);
    const share = (name: string) => (((after.get(name) ?? 0) - (before.get(name) ?? 0)) / (watchedMs / 1_000)) * 100;
    return {
      tasks: share('TaskDuration'),
      scripts: share('ScriptDuration'),
      sent: await sent(),
      received: received(),
    };
  } finally {
    await context.close();
  }
}

async function readSeconds(devtools: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

async function countVideoBytes(devtools: CDPSession): Promise<() => number> {
  const videos = new Set<string>();
  let bytes = 0;
  devtools.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Media') videos.add(requestId);
  });
  devtools.on('Network.dataReceived', ({ requestId, dataLength }) => {
    if (videos.has(requestId)) bytes += dataLength;
  });
  await devtools.send('Network.enable');
  return () => bytes;
}

function countReports(page: Page): () => Promise<number> {
  const path = recordPerformance.path.replace('{quadrant}', 'all');
  const sizes: Promise<{ requestBodySize: number; requestHeadersSize: number }>[] = [];
  page.on('requestfinished', (request) => {
    if (new URL(request.url()).pathname === path) sizes.push(request.sizes());
  });
  return async () =>
    (await Promise.all(sizes)).reduce((sum, size) => sum + size.requestBodySize + size.requestHeadersSize, 0);
}
