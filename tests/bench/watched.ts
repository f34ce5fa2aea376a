import { randomInt } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Sqlite from 'better-sqlite3';
import { limits } from '#contract/limits.ts';
import { systemClock } from '#server/clock.ts';
import type { Database } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { Rounds } from '#server/features/watched/rounds.ts';
import { chunkLength } from '#server/features/watched/watched-repository.ts';
import { encodeNumbers } from '#server/id-sets/bits.ts';
import type { Picker } from '#server/id-sets/picker.ts';
import { createPicker } from '#server/id-sets/picker.ts';
import type { TagSelection } from '#server/id-sets/tag-selection.ts';
import { createIds, secureRandomBelow } from '#server/ids.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createLog } from '#server/log.ts';
import { amount } from './form.ts';
import { generateSets } from './pick-library.ts';
import { median, quantile } from './samples.ts';
import { createStoredLibrary } from './stored-library.ts';
import type { Amount } from './table.ts';
import { printAmounts } from './table.ts';

const videos = amount(1_000_000, 20_000);
const viewers = amount(1_000, 20);
const watchedByEach = amount(10_000, 9_000);
/** So many ask for rounds one after the other, the last ones of them after they have watched for years. */
const crowd = amount(20_000, 40);
const faithful = amount(1_000, 2);
const picks = amount(20_000, 100);
const tries = amount(200, 2);
const megabyte = 1024 * 1024;

const filters: readonly TagSelection[] = [
  { tags: [], mode: 'OR', blocked: [] },
  { tags: [10], mode: 'OR', blocked: [] },
  { tags: [10, 21], mode: 'OR', blocked: [6, 13, 41] },
  { tags: [3, 5], mode: 'AND', blocked: [] },
];
const [allVideos] = filters as [TagSelection];

/** Rounds of many viewers at once: their memory, picks within them, and what strangers and long logs cost. */
export async function measureWatched(): Promise<void> {
  const library = await createStoredLibrary();
  const picker = createPicker(generateSets(videos), systemClock, secureRandomBelow);
  storeLogs(library.file);
  const database = openDatabase({ kind: 'sqlite', file: library.file });
  try {
    const rows = [
      ...(await measureViewers(openRounds(database, picker))),
      ...(await measureCrowd(openRounds(database, picker))),
      await measureUnknown(openRounds(database, picker)),
      await measureForget(openRounds(database, picker)),
    ];
    printAmounts(`Rounds of many viewers, of ${videos} videos`, rows);
  } finally {
    await database.close();
    library.remove();
  }
}

function openRounds(database: Database, picker: Picker): Rounds {
  const rateLimits = createRateLimits(database, systemClock);
  const [env, log] = [{ remembersWatched: true }, createLog('silent')];
  return new Rounds({
    database,
    clock: systemClock,
    ids: createIds(systemClock),
    env,
    idSets: picker,
    rateLimits,
    log,
  });
}

const ownerOf = (name: string) => ({ key: name, userId: null });

/** The logs of the viewers, and the rounds of those who have watched for years, as their bitmaps. */
function storeLogs(file: string): void {
  const database = new Sqlite(file);
  database.pragma('synchronous = off');
  const putOwner = database.prepare(
    `insert into watched_owners (owner, user_id, log_id, entries, last_at) values (?, null, 'log', ?, 1)`,
  );
  const putChunk = database.prepare(
    'insert into watched_chunks (owner, chunk, numbers, minutes, last_at) values (?, ?, ?, ?, 1)',
  );
  const putRound = database.prepare(
    `insert into watched_rounds (owner, selection, started_at_entry, seen, seen_entries, used_at)
     values (?, 'all ', 0, ?, ?, 1)`,
  );
  const putLog = (owner: string, entries: number) => {
    putOwner.run(owner, entries);
    for (let chunk = 0; chunk * chunkLength < entries; chunk += 1) {
      const numbers = Buffer.from(drawNumbers(Math.min(chunkLength, entries - chunk * chunkLength)).buffer);
      putChunk.run(owner, chunk, numbers, numbers);
    }
  };
  database.transaction(() => {
    for (let viewer = 0; viewer < viewers; viewer += 1) putLog(`viewer-${viewer}`, watchedByEach);
    putLog('forgetful', amount(limits.watchedEntries, 2_000));
    for (let viewer = crowd - faithful; viewer < crowd; viewer += 1) {
      putOwner.run(`crowd-${viewer}`, limits.watchedEntries);
      const numbers = drawNumbers(amount(limits.watchedEntries, 2_000));
      putRound.run(`crowd-${viewer}`, encodeNumbers([...numbers]), limits.watchedEntries);
    }
  })();
  database.close();
}

function drawNumbers(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, () => randomInt(1, videos + 1));
}

async function measureViewers(rounds: Rounds): Promise<Amount[]> {
  const before = residentBytes();
  for (let viewer = 0; viewer < viewers; viewer += 1)
    for (const filter of filters) await openRound(rounds, `viewer-${viewer}`, filter);
  const grown = (residentBytes() - before) / megabyte;
  const kept = Math.min(viewers, Math.floor((0.9 * rounds.facts().rounds) / filters.length));
  const drawFor = async (first: number) => {
    const viewer = ownerOf(`viewer-${randomInt(first, viewers)}`);
    const filter = filters[randomInt(filters.length)] ?? allVideos;
    const begun = performance.now();
    await rounds.pick(viewer, filter, []);
    return performance.now() - begun;
  };
  const cached: number[] = [];
  // Each person's log is looked for anew after ten seconds.
  for (let viewer = viewers - kept; viewer < viewers; viewer += 1)
    for (const filter of filters) await openRound(rounds, `viewer-${viewer}`, filter);
  while (cached.length < picks) cached.push((await drawFor(viewers - kept)) * 1_000);
  const any: number[] = [];
  while (any.length < picks / 10) any.push(await drawFor(0));
  await rounds.stop();
  const what = `${viewers} viewers with ${watchedByEach} watched under 4 filters`;
  return [
    { what: `${what}: memory`, value: grown, unit: 'MB', goal: 80, floor: 160 },
    { what: 'pick within their rounds, p50', value: median(cached), unit: 'µs', goal: 10, floor: 50 },
    { what: 'pick within their rounds, p99', value: quantile(cached, 0.99), unit: 'µs', goal: 60, floor: 500 },
    {
      what: 'pick of any of them, rounds not in memory too, p99',
      value: quantile(any, 0.99),
      unit: 'ms',
      goal: 50,
      floor: 500,
    },
  ];
}

async function measureCrowd(rounds: Rounds): Promise<Amount[]> {
  const before = residentBytes();
  let [most, mostRounds] = [0, 0];
  for (let viewer = 0; viewer < crowd; viewer += 1) {
    await openRound(rounds, `crowd-${viewer}`, allVideos);
    most = Math.max(most, rounds.facts().bytes);
    mostRounds = Math.max(mostRounds, rounds.facts().rounds);
  }
  const grown = (residentBytes() - before) / megabyte;
  await rounds.stop();
  const limit = limits.roundsBytes / megabyte;
  return [
    {
      what: `rounds in memory of ${crowd} viewers, at most`,
      value: most / megabyte,
      unit: 'MB',
      goal: limit,
      floor: limit,
    },
    { what: '… their count', value: mostRounds, unit: '', goal: limits.roundsInMemory, floor: limits.roundsInMemory },
    { what: '… and what the process grew by', value: grown, unit: 'MB', goal: 2 * limit, floor: 4 * limit },
  ];
}

/** Picks until the round is there: a long one is read while draws go on without it. */
async function openRound(rounds: Rounds, viewer: string, filter: TagSelection): Promise<void> {
  while ((await rounds.pick(ownerOf(viewer), filter, []))?.unseen === undefined)
    await new Promise((resolve) => setImmediate(resolve));
}

async function measureUnknown(rounds: Rounds): Promise<Amount> {
  const times: number[] = [];
  for (let time = 0; time < tries; time += 1) {
    const ids = Array.from({ length: limits.watchedPerCall }, (_, at) => `made-up-video-${time}-${at}`);
    const begun = performance.now();
    await rounds.record({ ...ownerOf('stranger'), device: 'device', address: '192.0.2.1', shuffle: 'once' }, ids);
    times.push(performance.now() - begun);
  }
  const what = `report of ${limits.watchedPerCall} unknown ids`;
  return { what, value: median(times), unit: 'ms', goal: 1, floor: 10 };
}

async function measureForget(rounds: Rounds): Promise<Amount> {
  await rounds.pick(ownerOf('forgetful'), allVideos, []);
  const begun = performance.now();
  await rounds.forget(ownerOf('forgetful'));
  const what = `what was watched is forgotten, ${limits.watchedEntries} entries`;
  return { what, value: performance.now() - begun, unit: 'ms', goal: 100, floor: 1_000 };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function residentBytes(): number {
  collectGarbage();
  return process.memoryUsage.rss();
}
