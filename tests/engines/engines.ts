// `npm run test:engines [name …]`: the same steps by mouse in each engine, or in those that are named. A table at the
// end says what held.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectFolder } from '#scripts/build-stamp.ts';
import { acceptAgreement, registerAt } from '#tests/e2e/accounts.ts';
import type { RunningEngine } from '#tests/support/engine-page.ts';
import { fixtureNames, makeLibrary } from '#tests/support/library.ts';
import { ffmpegs } from '#tests/support/media/ffmpegs.ts';
import type { OldVersion } from '#tests/support/old-chromium.ts';
import { containerFor, startOldChromium } from '#tests/support/old-chromium.ts';
import type { Product } from '#tests/support/product.ts';
import { startProduct } from '#tests/support/product.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import type { DeliveredSite } from './delivery-steps.ts';
import { openDeliveredSites } from './delivery-steps.ts';
import { startFirefox } from './firefox.ts';
import { username } from './menu-steps.ts';
import { Screen } from './screen.ts';
import { startFeed, steps } from './steps.ts';
import { startWebKit } from './webkit.ts';
import { windowSize } from './window-size.ts';

type Container = 'mp4' | 'webm';

interface Engine {
  readonly start: () => Promise<RunningEngine>;
  readonly container: Container;
}

const engines: Readonly<Record<string, Engine>> = {
  'chromium-68': { start: () => startOld(68), container: containerFor(68) },
  'chromium-76': { start: () => startOld(76), container: containerFor(76) },
  firefox: { start: startFirefox, container: 'mp4' },
  webkit: { start: startWebKit, container: 'mp4' },
};

/** What a walk goes through. */
interface Sites {
  readonly product: Product;
  readonly delivered: ReadonlyMap<string, DeliveredSite> | null;
}

interface Result {
  readonly hasHeld: boolean;
  readonly note: string;
}

const picturesFolder = join(projectFolder, '.build', 'engines');
/** A net for what hangs. */
const postersAtMostMs = 600_000;

async function startOld(version: OldVersion): Promise<RunningEngine> {
  const browser = await startOldChromium(version);
  await browser.page.resize(windowSize.width, windowSize.height);
  return browser;
}

/** All steps in one engine; after one that failed the feed is opened anew. */
async function walkThrough(name: string, engine: Engine, sites: Sites): Promise<Result[]> {
  const results: Result[] = [];
  const { product, delivered } = sites;
  const { page, close } = await engine.start();
  try {
    const screen = new Screen(page, product.address);
    await screen.open();
    for (const step of steps) {
      try {
        if (results.at(-1)?.hasHeld === false) await startFeed(screen);
        const note = await step.run(screen, product, delivered);
        const errors = await page.takeErrors();
        if (errors.length > 0) throw new Error(`the page threw: ${errors.join('; ')}`);
        results.push({ hasHeld: true, note: note ?? '' });
      } catch (error) {
        results.push({ hasHeld: false, note: String(error) });
        await writeFile(join(picturesFolder, `${name}-${results.length}.png`), await page.takePicture());
      }
      console.log(`${name}: ${step.name}: ${results.at(-1)?.hasHeld ? 'held' : 'FAILED'} ${results.at(-1)?.note}`);
    }
  } finally {
    await close();
  }
  return results;
}

/** An engine that does not start has failed in every step. */
async function prove(name: string, engine: Engine, sites: Sites): Promise<Result[]> {
  try {
    return await walkThrough(name, engine, sites);
  } catch (error) {
    console.log(`${name}: ${error instanceof Error ? error.message : error}`);
    return steps.map(() => ({ hasHeld: false, note: 'not run' }));
  }
}

/** WebKit shows posters until it plays, so they have to be made before it comes. */
async function waitForPosters({ address }: Product, videos: number): Promise<void> {
  const end = performance.now() + postersAtMostMs;
  const seen = new Set<string>();
  while (seen.size < videos) {
    if (performance.now() > end)
      throw new Error(`${seen.size} of ${videos} posters were made within ${postersAtMostMs} ms`);
    const answer = await fetch(`${address}/api/video/top-left`);
    const { id, poster_url: poster } = (await answer.json()) as { id: string; poster_url: string | null };
    if (poster === null) seen.delete(id);
    else seen.add(id);
    await delay(50);
  }
}

async function proveWith(container: Container, work: (sites: Sites) => Promise<void>): Promise<void> {
  const endings: Parameters<AtEnd>[0][] = [];
  const atEnd: AtEnd = (end) => endings.unshift(end);
  try {
    const videos = await fixtureNames('hue');
    const library = await makeLibrary(videos, container);
    atEnd(library.remove);
    const environment = { FFMPEG_PATH: ffmpegs[0] ?? '' };
    const product = await startProduct({ libraryDirs: [library.folder], environment });
    atEnd(product.dispose);
    await acceptAgreement(product, await registerAt(product, username));
    await waitForPosters(product, videos.length);
    await work({ product, delivered: await openDeliveredSites(container, atEnd) });
  } finally {
    for (const end of endings) await end();
  }
}

function tableOf(names: readonly string[], results: readonly Result[][]): string {
  const rows = steps.map(({ name }, at) => [
    name,
    ...results.map((of) => `${of[at]?.hasHeld ? 'held' : 'FAILED'} ${of[at]?.hasHeld ? of[at].note : ''}`),
  ]);
  const all = [['', ...names], ...rows];
  const widths = ['', ...names].map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in engines));
if (unknown.length > 0)
  throw new Error(`No engine is called ${unknown.join(', ')}. There are: ${Object.keys(engines).join(', ')}.`);
await mkdir(picturesFolder, { recursive: true });
const chosen = Object.entries(engines).filter(([name]) => asked.length === 0 || asked.includes(name));
const results = new Map<string, Result[]>();
for (const container of ['webm', 'mp4'] as const) {
  const own = chosen.filter(([, engine]) => engine.container === container);
  if (own.length > 0)
    await proveWith(container, async (sites) => {
      for (const [name, engine] of own) results.set(name, await prove(name, engine, sites));
    });
}
console.log(`\n${tableOf([...results.keys()], [...results.values()])}`);
const held = [...results.values()].flat().filter(({ hasHeld }) => hasHeld).length;
console.log(`\n${held} of ${chosen.length * steps.length} held`);
process.exitCode = held === chosen.length * steps.length ? 0 : 1;
