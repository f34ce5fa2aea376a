import { setImmediate as letOthersRun } from 'node:timers/promises';
import { RoaringBitmap32 } from 'roaring-wasm';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import { decodeSet, withoutRuns } from '../../id-sets/bits.ts';
import type { GramBlock, GramTotal } from './gram-repository.ts';
import { readGrams, readGramTotals } from './gram-repository.ts';
import type { SearchWord } from './name-grams.ts';
import { gramsOf, SearchableName } from './name-grams.ts';

/** The rarest parts of all words say nearly everything; each of them is up to 128 KiB at a million videos. */
const partsRead = 4;

/**
 * Sets of videos whose names have the parts of all words, and a few more (`filterByNames` has the last word): the newest
 * videos first. Each set is good until the next one is asked for.
 * @param wanted how many videos whoever asks hopes for: so many are likely to be in the first set
 */
export async function* readCandidates(
  executor: Executor,
  words: readonly SearchWord[],
  wanted: number,
): AsyncGenerator<RoaringBitmap32> {
  const grams = [...new Set(words.flatMap(gramsOf))];
  const totals = grams.length === 0 ? [] : await readGramTotals(executor, grams);
  if (totals.length < grams.length) return;
  const rarest = totals.sort((a, b) => a.count - b.count).slice(0, partsRead);
  let last = Math.min(...rarest.map(({ lastBlock }) => lastBlock));
  for (let length = likelyBlocks(rarest, wanted); last >= 0; length *= 2) {
    const first = Math.max(0, last - length + 1);
    const candidates = await readShared(executor, rarest, { first, last });
    try {
      yield candidates;
    } finally {
      candidates.dispose();
    }
    last = first - 1;
  }
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

/** How many blocks have the wanted videos when the rarest part decides, and is spread evenly. */
function likelyBlocks([rarest]: readonly GramTotal[], wanted: number): number {
  return rarest === undefined ? 1 : 1 + Math.ceil((wanted * (rarest.lastBlock + 1)) / rarest.count);
}

async function readShared(
  executor: Executor,
  parts: readonly GramTotal[],
  range: { first: number; last: number },
): Promise<RoaringBitmap32> {
  const rows = await readGrams(
    executor,
    parts.map(({ gram }) => gram),
    range,
  );
  const shared = new RoaringBitmap32();
  for (const blocks of Map.groupBy(rows, (row) => row.block).values())
    if (blocks.length === parts.length) addShared(shared, blocks);
  return withoutRuns(shared);
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

/** Everybody else has a turn first: what SQLite answers, it answers at once. */
async function readNames(executor: Executor, numbers: readonly number[]): Promise<Map<number, string>> {
  if (numbers.length === 0) return new Map();
  await letOthersRun();
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
