import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { createIdSets } from '#server/id-sets/id-sets.ts';
import type { LiveSets } from '#server/id-sets/live-sets.ts';
import type { Picker } from '#server/id-sets/picker.ts';
import { createPicker } from '#server/id-sets/picker.ts';
import type { TagSelection } from '#server/id-sets/tag-selection.ts';
import { secureRandomBelow } from '#server/ids.ts';
import { createLog } from '#server/log.ts';
import { alternate } from './alternate.ts';
import { amount } from './form.ts';
import { generateSets, popularTags } from './pick-library.ts';
import { measureRemoval } from './pick-removal.ts';
import { measureRounds, roundRows } from './pick-rounds.ts';
import { median, quantile } from './samples.ts';
import type { StoredLibrary } from './stored-library.ts';
import { createStoredLibrary, openNaivePick, storeRows, storeSets } from './stored-library.ts';
import type { Amount } from './table.ts';
import { printAmounts } from './table.ts';

const [thousand, hundredThousand, million, tenMillion] = [
  1_000,
  amount(100_000, 2_000),
  amount(1_000_000, 5_000),
  amount(10_000_000, 10_000),
];
const naiveSizes = new Set([thousand, hundredThousand, million]);

/** One viewer's blocklist: two popular tags and one in the middle. */
const blocklist = [6, 13, 41];

/** Each fifth video of the smallest library, and some of the larger ones. */
function favourites(): Uint32Array {
  return Uint32Array.from({ length: 5_000 }, (_, at) => 1 + 5 * at);
}

const filters: readonly TagSelection[] = [
  { tags: [], mode: 'OR', blocked: [] },
  { tags: [], mode: 'OR', blocked: blocklist },
  { tags: [10, 21], mode: 'OR', blocked: blocklist },
  { tags: [10, 21], mode: 'AND', blocked: blocklist },
  { tags: [], mode: 'OR', blocked: blocklist, forms: ['is:long', 'is:upright'] },
  { tags: [10, 21], mode: 'OR', blocked: blocklist, forms: ['is:short'], among: favourites() },
];
const roundFilters = filters.slice(0, 3);
/** What the other three quadrants show, and the quadrant's own last ten. */
const excluded = 13;

interface Measured {
  /** Microseconds. */
  pick: number[];
  /** Milliseconds. */
  naive: number[];
  /** What else was measured at this size. */
  rows?: Amount[];
}

/** Picks beside the plain query, by size of the library. */
export async function measurePick(): Promise<void> {
  const bySize = new Map<number, Measured>();
  const rows: Amount[] = [];
  const rounds: Parameters<typeof roundRows>[0][number][] = [];
  for (const size of [thousand, hundredThousand, million, tenMillion]) {
    const sets = generateSets(size);
    const picker = createPicker(sets, systemClock, secureRandomBelow);
    const measured = await measureSize(sets, picker, size);
    bySize.set(size, measured);
    if (size !== hundredThousand)
      rounds.push({ name: name(size), times: measureRounds(picker, roundFilters, excluded) });
    rows.push(...(measured.rows ?? []));
    if (size === million) rows.push(...measurePages(picker));
    if (size === tenMillion) rows.push(...measureNewFilters(sets, picker));
    if (size >= million) rows.push(await measureRestart(sets, size));
  }
  printSizes(bySize);
  printAmounts('Random pick', [...pickRows(bySize), ...roundRows(rounds), ...rows]);
}

async function measureSize(sets: LiveSets, picker: Picker, size: number): Promise<Measured> {
  if (!naiveSizes.has(size)) return { pick: measureCached(picker), naive: [] };
  const library = await createStoredLibrary();
  storeRows(library, sets, size);
  const naive = openNaivePick(library, blocklist);
  const [picks, queries] = await alternate(
    5,
    async () => measureCached(picker),
    async () => [naive.run()],
  );
  naive.close();
  const rows = size === million ? await measureRemoval(library, size, blocklist) : [];
  library.remove();
  return { pick: picks.flat(), naive: queries.flat(), rows };
}

/** Filters whose sets are known, each pick on its own. */
function measureCached(picker: Picker): number[] {
  return filters.flatMap((filter) => {
    const exclude = Array.from({ length: excluded }, () => picker.pick(filter, { exclude: [] })?.number ?? 0);
    return repeat(5_000, () => void picker.pick(filter, { exclude })).map((ms) => ms * 1_000);
  });
}

function measureNewFilters(sets: LiveSets, picker: Picker): Amount[] {
  const modes = ['OR', 'AND'] as const;
  const sameBlocklist = repeat(
    200,
    (round) =>
      void picker.pick({ tags: popularTags(2), mode: modes[round % 2] ?? 'OR', blocked: blocklist }, { exclude: [] }),
  );
  const nothingKnown = repeat(
    100,
    (round) =>
      void picker.pick(
        { tags: popularTags(2), mode: modes[round % 2] ?? 'OR', blocked: popularTags(3) },
        { exclude: [] },
      ),
  );
  const largest = repeat(
    20,
    () =>
      void createPicker(sets, systemClock, secureRandomBelow).pick(
        { tags: [1, 2], mode: 'OR', blocked: [3, 4, 5] },
        { exclude: [] },
      ),
  );
  return [
    { what: 'new filter at 1e7, p50', value: median(sameBlocklist), unit: 'ms', goal: 1.5, floor: 20 },
    { what: 'new filter at 1e7, p99', value: quantile(sameBlocklist, 0.99), unit: 'ms', goal: 10, floor: 50 },
    { what: 'new filter and new blocklist at 1e7, p50', value: median(nothingKnown), unit: 'ms', goal: 10, floor: 20 },
    {
      what: 'the five most popular tags, nothing known, 1e7, p50',
      value: median(largest),
      unit: 'ms',
      goal: 10,
      floor: 20,
    },
  ];
}

function measurePages(picker: Picker): Amount[] {
  const filter = filters[2] ?? { tags: [], mode: 'OR', blocked: [] };
  const pages = repeat(500, () => void picker.page(filter, 20_000, 20));
  return [{ what: 'page at 20,000 with its total, 1e6, p50', value: median(pages), unit: 'ms', goal: 1, floor: 10 }];
}

/** In a process of its own, which has only the file. */
async function measureRestart(sets: LiveSets, size: number): Promise<Amount> {
  const library = await createStoredLibrary();
  await storeSets(library, sets);
  const [, ...samples] = Array.from({ length: 4 }, () => runRestart(library));
  library.remove();
  const isLarge = size > million;
  return {
    what: `ready after restart at ${name(size)}`,
    value: median(samples),
    unit: 'ms',
    goal: isLarge ? 3_000 : 500,
    floor: isLarge ? 15_000 : 3_000,
  };
}

const restartFlag = '--restart';

function runRestart({ file }: StoredLibrary): number {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), restartFlag, file], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return Number(stdout);
}

/** Milliseconds from opening the file to the first pick. */
async function restart(file: string): Promise<number> {
  const start = performance.now();
  const database = openDatabase({ kind: 'sqlite', file });
  const sets = createIdSets({ database, clock: systemClock, log: createLog('silent'), randomBelow: secureRandomBelow });
  await sets.start();
  if (sets.pick({ tags: [], mode: 'OR', blocked: [] }, { exclude: [] }) === null) throw new Error('nothing to pick');
  return performance.now() - start;
}

function pickRows(bySize: ReadonlyMap<number, Measured>): Amount[] {
  const at = (size: number) => bySize.get(size) ?? { pick: [], naive: [] };
  const atMillion = at(million);
  const p50 = (size: number) => median(at(size).pick);
  // Less is better in the table: 20 millionths are 50,000 times as fast.
  const share = (median(atMillion.pick) / (median(atMillion.naive) * 1_000)) * 1_000_000;
  return [
    { what: 'cached pick at 1e6, p50', value: p50(million), unit: 'µs', goal: 5, floor: 50 },
    { what: 'cached pick at 1e6, p99', value: quantile(atMillion.pick, 0.99), unit: 'µs', goal: 25, floor: 500 },
    { what: 'growth from 1e3 to 1e7', value: p50(tenMillion) / p50(thousand), unit: '×', goal: 3, floor: 6 },
    {
      what: 'share of the plain query with a blocklist at 1e6',
      value: share,
      unit: 'millionths',
      goal: 20,
      floor: 200,
    },
  ];
}

function printSizes(bySize: ReadonlyMap<number, Measured>): void {
  for (const [size, { pick, naive }] of bySize) {
    const plain =
      naive.length === 0
        ? 'not run'
        : `${(median(naive) * 1_000).toFixed(0)} µs, ${((median(naive) * 1_000) / median(pick)).toFixed(0)}×`;
    console.log(
      `${name(size)} videos: pick p50 ${median(pick).toFixed(2)} µs, p99 ${quantile(pick, 0.99).toFixed(2)} µs; order by random(): ${plain}`,
    );
  }
  console.log(`memory of this process: ${(process.memoryUsage().rss / 1_048_576).toFixed(0)} MiB`);
}

function repeat(times: number, run: (round: number) => void): number[] {
  for (let round = 0; round < Math.ceil(times / 10); round += 1) run(round);
  return Array.from({ length: times }, (_, round) => {
    const start = performance.now();
    run(round);
    return performance.now() - start;
  });
}

function name(size: number): string {
  return `1e${Math.round(Math.log10(size))}`;
}

if (import.meta.main) {
  const [flag, file] = process.argv.slice(2);
  if (flag === restartFlag && file !== undefined) {
    console.log(await restart(file));
    process.exit();
  }
  await measurePick();
}
