import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { VideoList } from '#contract/entities/tagging.ts';
import type { Video } from '#contract/entities/video.ts';
import { smallVideo } from '#tests/support/media/videos.ts';
import type { ListingStore } from '#tests/support/storage/listing-store.ts';
import { alternate } from './alternate.ts';
import type { BenchServer } from './bench-server.ts';
import { withBenchServer } from './bench-server.ts';
import { amount } from './form.ts';
import { median, quantile } from './samples.ts';
import { printAmounts, printDuels } from './table.ts';

/** What the server that is measured is told to do. */
export type ScanOrder = 'scan' | 'scan-and-index' | 'scan-beside-index' | 'scan-without-channels' | 'watch';

const files = Number(process.env.FILES ?? amount(20_000, 200));
/** In a store that answers after so many milliseconds. */
const objects = Number(process.env.OBJECTS ?? amount(100_000, 500));
const storeDelayMs = 40;
const rounds = Number(process.env.ROUNDS ?? amount(5, 1));
const probedFiles = 10;
/** First folders below the root. */
const folders = 50;
/** Names that say nothing of the order in which they were made. */
const nameOf = (index: number) => `video-${String((index * 7_919) % 1_000_003).padStart(7, '0')}.mp4`;
const idleMs = amount(3_000, 500);
const nameCheckMs = 20;
const watchedFiles = 10;
/** Addresses that calls come from in turn: each has a budget of its own. */
const callers = 64;

/** `node tests/bench/scan.ts`: the library at `FILES` small MP4 files in the page cache (20,000). */
export async function measureScan(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-bench-'));
  try {
    const library = join(folder, 'library');
    writeVideos(library, files);
    console.log(`\nLoad average of the machine: ${loadavg()[0]?.toFixed(1)}`);
    if (hasFfprobe()) await measureFirst(folder, library);
    else console.log('The first scan was not measured: there is no ffprobe.');
    await measureIndexed(folder, library);
    await measureNames(folder, library);
    await measureFolders(folder);
    await measureAgain(folder, library);
    await measurePicks(folder, library);
    await measureWatch(folder);
    await measureStore(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Real headers; each file's last bytes are its own. */
function writeVideos(folder: string, count: number, first = 0): void {
  mkdirSync(folder, { recursive: true });
  const bytes = readFileSync(smallVideo());
  for (let index = first; index < first + count; index += 1) {
    bytes.writeUInt32BE(index, bytes.length - 4);
    writeFileSync(join(folder, nameOf(index)), bytes);
  }
}

async function measureFirst(folder: string, library: string): Promise<void> {
  const some = Array.from({ length: probedFiles }, (_, index) => join(library, nameOf(index)));
  const [product, ffprobe] = await alternate(
    rounds,
    () => withServer(folder, library, async (server) => (await server.order('scan')).ms / files),
    async () => timed(() => some.forEach(runFfprobe)) / probedFiles,
  );
  printDuels(
    `A first scan of ${files} MP4 files, with all rows written: the time for 400 of them against one run of ffprobe`,
    [{ what: 'time', product: product.map((ms) => ms * 400), peer: ffprobe, goal: 1, floor: 8 }],
  );
  printAmounts('The same', [{ what: 'a file', value: median(product) * 1_000, unit: 'µs', goal: 125, floor: 1_000 }]);
}

async function measureIndexed(folder: string, library: string): Promise<void> {
  const scan = (order: ScanOrder) => () =>
    withServer(folder, library, async (server) => (await server.order(order)).ms);
  const [beside, alone] = await alternate(rounds, scan('scan-beside-index'), scan('scan'));
  printDuels(`A first scan of ${files} MP4 files while the index of names is filled, against one without`, [
    { what: 'time', product: beside, peer: alone, goal: 1.25, floor: 2.5 },
  ]);
  console.log(`${perSecond(beside)}, against ${perSecond(alone)}`);
}

/** From the moment at which the list has a new video until a search finds it by its name. */
async function measureNames(folder: string, library: string): Promise<void> {
  const late: number[] = [];
  await withServer(folder, library, async (server) => {
    let isOver = false;
    const scanning = server.order('scan-and-index').finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const [newest] = await server.videos('limit=1');
      const start = performance.now();
      if (newest === undefined) await wait(nameCheckMs);
      else {
        while ((await server.videos(`search=${newest.filename}`)).length === 0) await wait(nameCheckMs);
        late.push(performance.now() - start);
      }
    }
    await scanning;
  });
  printAmounts(`New names during a first scan of ${files} MP4 files, ${late.length} of them`, [
    { what: 'listed to found by its name, p99', value: quantile(late, 0.99), unit: 'ms', goal: 2_000, floor: 10_000 },
    { what: 'the slowest', value: Math.max(...late), unit: 'ms', goal: 2_000, floor: 10_000 },
  ]);
}

function hasFfprobe(): boolean {
  try {
    execFileSync('ffprobe', ['-version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function runFfprobe(file: string): void {
  execFileSync('ffprobe', ['-v', 'error', '-show_format', '-show_streams', '-of', 'json', `file:${file}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The same number of files in folders, each of which becomes a channel, or none. */
async function measureFolders(folder: string): Promise<void> {
  const library = join(folder, 'folders');
  for (let index = 0; index < folders; index += 1)
    writeVideos(join(library, `folder ${index}`), files / folders, 4 * files + (index * files) / folders);
  const scan = (order: ScanOrder) => () =>
    withServer(folder, library, async (server) => (await server.order(order)).ms);
  const [on, off] = await alternate(rounds, scan('scan'), scan('scan-without-channels'));
  printDuels(`A first scan of ${files} MP4 files in ${folders} folders that become channels, against one without`, [
    { what: 'time', product: on, peer: off, goal: 1.2, floor: 2 },
  ]);
  console.log(`${perSecond(on)}, against ${perSecond(off)}`);
}

function perSecond(took: readonly number[]): string {
  return `${Math.round((files * 1_000) / median(took))} files a second`;
}

async function measureAgain(folder: string, library: string): Promise<void> {
  await withServer(folder, library, async (server) => {
    await server.order('scan');
    const [product, find] = await alternate(
      rounds * 2,
      async () => {
        const { ms, read } = await server.order('scan');
        if (read > 0) throw new Error('A file was opened that had not changed.');
        return ms;
      },
      async () => timed(() => execFileSync('find', [library, '-printf', '%s %T@ %i %p\\n'], { maxBuffer: 1e9 })),
    );
    printDuels(`A scan of ${files} files that have not changed, against find -printf`, [
      { what: 'time', product, peer: find, goal: 2, floor: 10 },
    ]);
  });
}

/** A thousand videos are there already; the others come while viewers pick. */
async function measurePicks(folder: string, many: string): Promise<void> {
  const library = join(folder, 'growing');
  writeVideos(library, 1_000, files);
  const idle: number[] = [];
  const busy: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await withServer(folder, library, async (server) => {
      await server.order('scan');
      await pickUntil(server, wait(idleMs / 3));
      idle.push(quantile(await pickUntil(server, wait(idleMs)), 0.99));
      renameSync(many, join(library, 'many'));
      busy.push(quantile(await pickUntil(server, server.order('scan')), 0.99));
      renameSync(join(library, 'many'), many);
    });
  }
  printDuels(`Picks over HTTP while ${files} files are scanned for the first time, against an idle server`, [
    { what: 'p99', product: busy, peer: idle, goal: 1.3, floor: 3 },
  ]);
}

/** Milliseconds of each pick, one after the other on one connection. */
async function pickUntil(server: Server, end: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  const samples: number[] = [];
  while (!isOver) {
    const start = performance.now();
    if ((await server.status('/api/video/top-left')) !== 200) throw new Error('A pick was not answered.');
    samples.push(performance.now() - start);
  }
  await end;
  return samples;
}

async function measureWatch(folder: string): Promise<void> {
  const library = join(folder, 'watched');
  writeVideos(library, 1_000, 2 * files);
  await withServer(folder, library, async (server) => {
    await server.order('watch');
    const samples: number[] = [];
    for (let index = 0; index < watchedFiles; index += 1) {
      writeFileSync(join(library, `new-${index}.mp4`), Buffer.concat([readFileSync(smallVideo(1)), freeBox(index)]));
      const start = performance.now();
      while ((await server.status(`/api/video/stream?path=new-${index}.mp4`)) !== 200) await wait(5);
      samples.push(performance.now() - start);
    }
    printAmounts('A new file in a watched folder', [
      { what: 'closed to playable, p50', value: median(samples), unit: 'ms', goal: 1_000, floor: 10_000 },
    ]);
  });
}

/** What a bucket was asked by a scan. */
type StoreCalls = ReturnType<ListingStore['take']>;

/** A library of `OBJECTS` videos (100,000) in a store. */
async function measureStore(folder: string): Promise<void> {
  const script = fileURLToPath(new URL('./listing-store-process.ts', import.meta.url));
  const store = fork(script, [String(objects), String(storeDelayMs)]);
  const next = async <Answer>() => ((await once(store, 'message')) as [Answer])[0];
  const ask = (order: 'take' | 'add') => {
    const answer = next<StoreCalls>();
    store.send(order);
    return answer;
  };
  const url = await next<string>();
  const scan = async (server: Server) => ({ ...(await server.order('scan')), ...(await ask('take')) });
  const env = { LIBRARY_URLS: url, LIBRARY_SECRET: 'secret' };
  try {
    await withServer(
      folder,
      '',
      async (server) => {
        const [first, again] = [await scan(server), await scan(server)];
        await ask('add');
        const one = await scan(server);
        if (first.read !== objects || again.read !== 0 || one.read !== 1)
          throw new Error('Not all was read, or again.');
        printAmounts(`A library of ${objects} objects in a store that answers after ${storeDelayMs} ms`, [
          { what: 'first scan', value: first.ms / 1_000, unit: 's', goal: 1_500, floor: 1_500 },
          { what: 'calls for an object', value: first.gets / objects, unit: '', goal: 8, floor: 8 },
          { what: 'scan again', value: again.ms / 1_000, unit: 's', goal: 20, floor: 20 },
          { what: 'calls of it', value: again.lists + again.gets, unit: '', goal: 100, floor: 100 },
          { what: 'calls for a new object', value: one.gets, unit: '', goal: 8, floor: 8 },
          { what: 'bytes of it', value: one.objectBytes / 1_000, unit: 'KB', goal: 600, floor: 600 },
        ]);
      },
      env,
    );
  } finally {
    store.disconnect();
  }
}

/** Players skip it; it makes a file different from others. */
function freeBox(content: number): Buffer {
  const box = Buffer.alloc(12);
  box.writeUInt32BE(box.length);
  box.write('free', 4, 'latin1');
  box.writeUInt32BE(content, 8);
  return box;
}

interface Server extends BenchServer {
  status(path: string): Promise<number>;
  /** The newest videos of a list; none while the server is too busy for one. */
  videos(query: string): Promise<readonly Pick<Video, 'filename'>[]>;
}

/** A server of its own, with a database that knows nothing yet. */
async function withServer<T>(
  folder: string,
  library: string,
  work: (server: Server) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const data = mkdtempSync(join(folder, 'data-'));
  const agent = new Agent({ keepAlive: true });
  let calls = 0;
  try {
    return await withBenchServer(
      { DATA_DIR: data, ...(library !== '' && { LIBRARY_DIRS: library }), ...env },
      (server) =>
        work({
          ...server,
          status: (path) => statusOf(`${server.address}${path}`, agent, calls++ % callers),
          videos: (query) => videosOf(`${server.address}/api/videos/by-tags?${query}`, agent, calls++ % callers),
        }),
    );
  } finally {
    agent.destroy();
    rmSync(data, { recursive: true, force: true });
  }
}

function statusOf(url: string, agent: Agent, caller: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(url, { agent, localAddress: `127.0.2.${caller + 1}` }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode ?? 0));
  }).once('error', reject);
  return promise;
}

async function videosOf(url: string, agent: Agent, caller: number): Promise<VideoList['videos']> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get(url, { agent, localAddress: `127.0.2.${caller + 1}` }, resolve).once('error', reject);
  const reply = await promise;
  const body = await text(reply);
  return reply.statusCode === 200 ? (JSON.parse(body) as VideoList).videos : [];
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

if (import.meta.main) await measureScan();
