import { RoaringBitmap32 } from 'roaring-wasm';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import { decodeSet, withoutRuns } from '../../id-sets/bits.ts';
import type { GramBlock } from './gram-repository.ts';
import { countByGram, readGrams } from './gram-repository.ts';
import type { SearchWord } from './name-grams.ts';
import { gramsOf, SearchableName } from './name-grams.ts';

/** The rarest parts of all words say nearly everything; each of them is up to 128 KiB at a million videos. */
const partsRead = 4;

/**
 * Videos whose names have the parts of all words, and a few more: `filterByNames` has the last word. The set belongs to
 * the caller; null when there are none.
 */
export async function findCandidates(
  executor: Executor,
  words: readonly SearchWord[],
): Promise<RoaringBitmap32 | null> {
  const grams = [...new Set(words.flatMap(gramsOf))];
  if (grams.length === 0) return null;
  const counts = await countByGram(executor, grams);
  if (counts.size < grams.length) return null;
  const rarest = grams.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)).slice(0, partsRead);
  const rows = await readGrams(executor, rarest);
  const candidates = new RoaringBitmap32();
  for (const blocks of Map.groupBy(rows, (row) => row.block).values())
    if (blocks.length === rarest.length) addShared(candidates, blocks);
  return withoutRuns(candidates);
}

/** Those of some videos whose names have all words, in their order. @param numbers at most `inListLength` */
export async function filterByNames(
  executor: Executor,
  numbers: readonly number[],
  words: readonly SearchWord[],
): Promise<number[]> {
  const names = await readNames(executor, numbers);
  return numbers.filter((number) => {
    const name = new SearchableName(names.get(number) ?? '');
    return words.every((word) => name.has(word));
  });
}

/** By their file names without regard to case; of equal ones, the newest first. */
export async function sortByNames(executor: Executor, numbers: readonly number[]): Promise<number[]> {
  const keyed: { number: number; key: string }[] = [];
  for (let from = 0; from < numbers.length; from += inListLength) {
    const names = await readNames(executor, numbers.slice(from, from + inListLength));
    for (const [number, name] of names) keyed.push({ number, key: new SearchableName(name).text });
  }
  return keyed.sort((a, b) => byKey(a.key, b.key) || b.number - a.number).map(({ number }) => number);
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

async function readNames(executor: Executor, numbers: readonly number[]): Promise<Map<number, string>> {
  if (numbers.length === 0) return new Map();
  const rows = await executor
    .selectFrom('videos')
    .select(['number', 'filename'])
    .where('number', 'in', numbers)
    .execute();
  return new Map(rows.map(({ number, filename }) => [number, filename]));
}

function byKey(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
