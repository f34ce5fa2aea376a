// `npm run test:engines [name …]`: the same steps by mouse in each engine, or in those that are named. A table at the end says what held.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectFolder } from '#scripts/build-stamp.ts';
import { registerAt } from '#tests/e2e/accounts.ts';
import { startChromium79 } from '#tests/support/chromium-79.ts';
import type { RunningEngine } from '#tests/support/engine-page.ts';
import { ffmpegs } from '#tests/support/media/ffmpegs.ts';
import { fixtureNames, makeLibrary } from '#tests/support/library.ts';
import type { Product } from '#tests/support/product.ts';
import { startProduct } from '#tests/support/product.ts';
import { startFirefox } from './firefox.ts';
import { username } from './menu-steps.ts';
import { Screen } from './screen.ts';
import { startFeed, steps } from './steps.ts';
import { startWebKit } from './webkit.ts';
import { windowSize } from './window-size.ts';

const engines: Readonly<Record<string, () => Promise<RunningEngine>>> = {
  'chromium-79': startOldest,
  firefox: startFirefox,
  webkit: startWebKit,
};

interface Result {
  readonly hasHeld: boolean;
  readonly note: string;
}

const picturesFolder = join(projectFolder, '.build', 'engines');
const postersAtMostMs = 60_000;

async function startOldest(): Promise<RunningEngine> {
  const browser = await startChromium79();
  await browser.page.resize(windowSize.width, windowSize.height);
  return browser;
}

/** All steps in one engine; after one that failed the feed is opened anew. */
async function walkThrough(name: string, product: Product): Promise<Result[]> {
  const results: Result[] = [];
  const { page, close } = await (engines[name] as () => Promise<RunningEngine>)();
  try {
    const screen = new Screen(page, product.address);
    await screen.open();
    for (const step of steps) {
      try {
        if (results.at(-1)?.hasHeld === false) await startFeed(screen);
        const note = await step.run(screen);
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
async function prove(name: string, product: Product): Promise<Result[]> {
  try {
    return await walkThrough(name, product);
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
    if (performance.now() > end) throw new Error(`${seen.size} of ${videos} posters were made within ${postersAtMostMs} ms`);
    const answer = await fetch(`${address}/api/video/top-left`);
    const { id, poster_url: poster } = (await answer.json()) as { id: string; poster_url: string | null };
    if (poster === null) seen.delete(id);
    else seen.add(id);
    await delay(50);
  }
}

function tableOf(names: readonly string[], results: readonly Result[][]): string {
  const rows = steps.map(({ name }, at) => [name, ...results.map((of) => `${of[at]?.hasHeld ? 'held' : 'FAILED'} ${of[at]?.hasHeld ? of[at].note : ''}`)]);
  const all = [['', ...names], ...rows];
  const widths = ['', ...names].map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in engines));
if (unknown.length > 0) throw new Error(`No engine is called ${unknown.join(', ')}. There are: ${Object.keys(engines).join(', ')}.`);
await mkdir(picturesFolder, { recursive: true });
const names = Object.keys(engines).filter((name) => asked.length === 0 || asked.includes(name));
const videos = await fixtureNames('hue');
const library = await makeLibrary(videos);
const product = await startProduct({ libraryDirs: [library.folder], environment: { FFMPEG_PATH: ffmpegs[0] ?? '' } });
const results: Result[][] = [];
try {
  await registerAt(product, username);
  await waitForPosters(product, videos.length);
  for (const name of names) results.push(await prove(name, product));
} finally {
  await product.dispose();
  await library.remove();
}
console.log(`\n${tableOf(names, results)}`);
const held = results.flat().filter(({ hasHeld }) => hasHeld).length;
console.log(`\n${held} of ${names.length * steps.length} held`);
process.exitCode = held === names.length * steps.length ? 0 : 1;
