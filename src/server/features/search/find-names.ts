import { setImmediate as letOthersRun } from 'node:timers/promises';
import { RoaringBitmap32 } from 'roaring-wasm';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import { decodeSet, withoutRuns } from '../../id-sets/bits.ts';
import type { GramBlock, GramTotal } from './gram-repository.ts';
import { readGrams, readGramTotals } from './gram-repository.ts';
import type { SearchWord } from './name-grams.ts';
import { gramsOf, SearchableName } from './name-grams.ts';

/** Blocks of 65,536 videos that are read in one go: up to 8 KiB for each part. */
const blocksTogether = 16;

/** The parts of all words, the rarest first; null when one of them is in no name. */
export async function findParts(executor: Executor, words: readonly SearchWord[]): Promise<GramTotal[] | null> {
  const grams = [...new Set(words.flatMap(gramsOf))];
  const totals = grams.length === 0 ? [] : await readGramTotals(executor, grams);
  const known = totals.filter(({ count }) => count > 0);
  return known.length < Math.max(1, grams.length) ? null : known.sort((a, b) => a.count - b.count);
}

/** The videos whose names have all of some parts, as the index knows them. The set belongs to the caller. */
export async function readShared(
  executor: Executor,
  parts: readonly GramTotal[],
  signal?: AbortSignal,
): Promise<RoaringBitmap32> {
  const shared = new RoaringBitmap32();
  try {
    await addAllShared(executor, parts, shared, signal);
    return withoutRuns(shared);
  } catch (error) {
    shared.dispose();
    throw error;
  }
}

async function addAllShared(
  executor: Executor,
  parts: readonly GramTotal[],
  shared: RoaringBitmap32,
  signal: AbortSignal | undefined,
): Promise<void> {
  const grams = parts.map(({ gram }) => gram);
  const last = Math.min(...parts.map(({ lastBlock }) => lastBlock));
  for (let first = 0; first <= last; first += blocksTogether) {
    // What SQLite answers, it answers at once: everybody else has a turn first.
    await letOthersRun();
    signal?.throwIfAborted();
    const rows = await readGrams(executor, grams, { first, last: Math.min(last, first + blocksTogether - 1) });
    for (const blocks of Map.groupBy(rows, (row) => row.block).values())
      if (blocks.length === parts.length) addShared(shared, blocks);
  }
}

/** Those of some videos whose names have all words. */
export async function filterByNames(
  executor: Executor,
  numbers: readonly number[],
  words: readonly SearchWord[],
  signal?: AbortSignal,
): Promise<number[]> {
  const found: number[] = [];
  for (let from = 0; from < numbers.length; from += inListLength) {
    await letOthersRun();
    signal?.throwIfAborted();
    const rows = await executor
      .selectFrom('videos')
      .select(['number', 'filename'])
      .where('number', 'in', numbers.slice(from, from + inListLength))
      .execute();
    for (const { number, filename } of rows) {
      const name = new SearchableName(filename);
      if (words.every((word) => name.has(word))) found.push(number);
    }
  }
  return found;
}

function addShared(candidates: RoaringBitmap32, [first, ...others]: readonly GramBlock[]): void {
  if (first === undefined) return;
  const shared = decodeSet(first.bits);
  for (const other of others) {
    const set = decodeSet(other.bits);
    shared.andInPlace(set);
    set.dispose();
  }
  candidates.orInPlace(shared);
  shared.dispose();
}
