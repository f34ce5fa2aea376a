import { setImmediate as letOthersRun } from 'node:timers/promises';
import { nameKey } from '#contract/rules/text.ts';
import type { Executor } from '../../database/tables.ts';
import type { NamePlace } from './name-chunks.ts';
import { comparePlaces } from './name-chunks.ts';

/** Videos in the order of their names. */
export interface SortedNames {
  readonly keys: readonly string[];
  readonly numbers: Uint32Array;
}

/** Names that are read and sorted in one go: some milliseconds. */
const pageLength = 2_000;
/** Names that are merged in one go: some milliseconds. */
const mergedTogether = 16_384;

/**
 * The names of all videos. They are read in pages and merged in slices, so that nobody waits for long; at a million
 * videos that takes some seconds, and some 100 MB until it ends.
 */
export async function sortNames(executor: Executor): Promise<SortedNames> {
  // Each run is at least twice as long as the next one.
  const runs: SortedNames[] = [];
  const mergeLast = async () => {
    const [first, second] = runs.splice(-2);
    if (first !== undefined && second !== undefined) runs.push(await merge(first, second));
  };
  for await (const page of readPages(executor)) {
    runs.push(toRun(page));
    while (isShort(runs.at(-2), runs.at(-1))) await mergeLast();
  }
  while (runs.length > 1) await mergeLast();
  return runs[0] ?? { keys: [], numbers: new Uint32Array() };
}

async function* readPages(executor: Executor): AsyncGenerator<NamePlace[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: { number: number; filename: string }[] = await executor
      .selectFrom('videos')
      .select(['number', 'filename'])
      .where('number', '>', after)
      .orderBy('number')
      .limit(pageLength)
      .execute();
    yield rows.map(({ number, filename }) => ({ key: nameKey(filename), number }));
    await letOthersRun();
    after = rows.at(-1)?.number;
  }
}

function toRun(places: NamePlace[]): SortedNames {
  places.sort(comparePlaces);
  return { keys: places.map(({ key }) => key), numbers: Uint32Array.from(places, ({ number }) => number) };
}

function isShort(run: SortedNames | undefined, next: SortedNames | undefined): boolean {
  return run !== undefined && next !== undefined && run.numbers.length < 2 * next.numbers.length;
}

async function merge(a: SortedNames, b: SortedNames): Promise<SortedNames> {
  const length = a.numbers.length + b.numbers.length;
  const keys: string[] = [];
  const numbers = new Uint32Array(length);
  let [fromA, fromB] = [0, 0];
  for (let to = 0; to < length; to += 1) {
    if (to % mergedTogether === mergedTogether - 1) await letOthersRun();
    const isA = fromB === b.numbers.length || (fromA < a.numbers.length && goesFirst(a, fromA, b, fromB));
    const run = isA ? a : b;
    const from = isA ? fromA++ : fromB++;
    keys.push(run.keys[from] ?? '');
    numbers[to] = run.numbers[from] ?? 0;
  }
  return { keys, numbers };
}

function goesFirst(a: SortedNames, fromA: number, b: SortedNames, fromB: number): boolean {
  const [keyA = '', keyB = ''] = [a.keys[fromA], b.keys[fromB]];
  return keyA < keyB || (keyA === keyB && (a.numbers[fromA] ?? 0) > (b.numbers[fromB] ?? 0));
}
