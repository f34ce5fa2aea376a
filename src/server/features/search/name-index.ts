import { setImmediate as letOthersRun, setTimeout as rest } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { RoaringBitmap32 } from 'roaring-wasm';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import { addNumbers, decodeSet, removeNumbers, withoutRuns } from '../../id-sets/bits.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { FreshNames } from './fresh-names.ts';
import type { SearchWord } from './name-grams.ts';
import { gramsOf, SearchableName } from './name-grams.ts';
import type { GramBlock, GramTotal } from './name-index-repository.ts';
import { nameIndexRepository } from './name-index-repository.ts';

interface NameIndexDeps {
  database: Database;
  freshNames: FreshNames;
  clock: Clock;
  queue: JobQueue;
}

const nameIndexJob = 'name-index';
/** How often new names are looked for. */
const everyMs = 2_000;
/**
 * The number of turns between two updates of the index, every twenty seconds. Until then names are
 * found among the fresh ones.
 */
const turnsBetween = 10;

/**
 * Names that are indexed together. More names mean fewer rewritten rows. They take some 20 MiB
 * meanwhile.
 */
const namesTogether = 32_768;
/** The same limit for the characters of names and texts, as a description has up to 2,000. */
const charactersTogether = 1_500_000;
/** Names that are read at once, in some milliseconds. */
const pageLength = 500;
/** Parts of names that one transaction writes, in some milliseconds. */
const gramsTogether = 64;
const blockLength = 65_536;

/** Video numbers by block and by part of their names. */
type Postings = Map<number, Map<string, number[]>>;

/** The marks and parts that are indexed together. */
interface Batch {
  readonly postings: Postings;
  /** The parts of the previous names. */
  readonly oldPostings: Postings;
  readonly marks: number[];
  /** More names are waiting. */
  readonly isMore: boolean;
}

/**
 * The index that searches file names, titles and descriptions. Scans only mark new names, in their own transactions. The
 * names are indexed later, in slices, and a mark is deleted when its name is indexed, so that
 * interrupted work is repeated. Until then the fresh names in memory are searched.
 */
export class NameIndex {
  private readonly deps: NameIndexDeps;
  private timer: Repetition | null = null;
  private turns = 0;

  constructor(deps: NameIndexDeps) {
    this.deps = deps;
    deps.queue.register({ kind: nameIndexJob, lane: 'light', attemptsMax: 3, run: ({ signal }) => this.fill(signal) });
  }

  /** Starts to look for new names. */
  async start(): Promise<void> {
    this.timer ??= repeat(() => this.takeTurn(), everyMs);
    await this.beginAnewWhenLost();
    await this.deps.freshNames.catchUp();
    await this.queueWhenNeeded();
  }

  stop(): void {
    this.timer?.stop();
  }

  /** Indexes every name that is marked by now. */
  async fill(signal?: AbortSignal): Promise<void> {
    for (let isMore = true; isMore; ) {
      const { postings, oldPostings, marks, ...batch } = await this.readNext(signal);
      await this.write(postings, writeGrams, signal);
      await this.write(oldPostings, removeGrams, signal);
      await this.deleteMarks(marks, signal);
      isMore = batch.isMore;
    }
  }

  /**
   * Marks all videos when the library has neither index nor marks, as after restoring a backup,
   * which leaves both out.
   */
  private async beginAnewWhenLost(): Promise<void> {
    const { database } = this.deps;
    if (
      (await nameIndexRepository.hasGrams(database.reader)) ||
      (await nameIndexRepository.hasUnindexed(database.reader))
    )
      return;
    await database.write(nameIndexRepository.markAll);
  }

  private async takeTurn(): Promise<void> {
    const { freshNames } = this.deps;
    await freshNames.forgetIndexed();
    this.turns += 1;
    if (this.turns % turnsBetween === 0 || freshNames.areMany) await this.queueWhenNeeded();
  }

  private async queueWhenNeeded(): Promise<void> {
    const { database, queue } = this.deps;
    if (await nameIndexRepository.hasUnindexed(database.reader)) await queue.add([{ kind: nameIndexJob, subject: '' }]);
  }

  private async readNext(signal?: AbortSignal): Promise<Batch> {
    const postings: Postings = new Map();
    const oldPostings: Postings = new Map();
    const marks: number[] = [];
    let [characters, isMore] = [0, true];
    while (isMore && marks.length < namesTogether && characters < charactersTogether) {
      signal?.throwIfAborted();
      const limit = Math.min(pageLength, namesTogether - marks.length);
      const page = await nameIndexRepository.listUnindexed(this.deps.database.reader, marks.at(-1) ?? 0, limit);
      for (const { number, videoNumber, text, was } of page) {
        marks.push(number);
        if (text !== null) addName(postings, videoNumber, text);
        if (was !== null) addName(oldPostings, videoNumber, was);
        characters += (text?.length ?? 0) + (was?.length ?? 0);
      }
      isMore = page.length === limit;
      await letOthersRun();
    }
    return { postings, oldPostings, marks, isMore };
  }

  private async write(postings: Postings, change: typeof writeGrams, signal?: AbortSignal): Promise<void> {
    for (const [block, grams] of postings) {
      const entries = [...grams];
      for (let from = 0; from < entries.length; from += gramsTogether)
        await this.inTurn(
          (transaction) => change(transaction, block, entries.slice(from, from + gramsTogether)),
          signal,
        );
    }
  }

  private async deleteMarks(marks: readonly number[], signal?: AbortSignal): Promise<void> {
    for (let from = 0; from < marks.length; from += pageLength)
      await this.inTurn(
        (transaction) => nameIndexRepository.deleteMarks(transaction, marks.slice(from, from + pageLength)),
        signal,
      );
  }

  /**
   * Runs a transaction, then pauses for as long as it took, because this work is not urgent and
   * must leave time to others.
   */
  private async inTurn(work: (transaction: Executor) => Promise<void>, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { database, clock } = this.deps;
    let begun = 0;
    await database.write(async (transaction) => {
      // The lock comes first: other writers of the same rows wait here, and then read what was
      // written before.
      await database.dialect.holdNameIndex(transaction as Transaction<unknown>);
      // Time spent waiting for the turn does not count.
      begun = clock.elapsed();
      await work(transaction);
    });
    await rest(clock.elapsed() - begun);
  }
}

function addName(postings: Postings, videoNumber: number, text: string): void {
  const block = Math.floor(videoNumber / blockLength);
  const grams = postings.get(block) ?? new Map<string, number[]>();
  postings.set(block, grams);
  for (const gram of new SearchableName(text).grams()) {
    const numbers = grams.get(gram);
    if (numbers === undefined) grams.set(gram, [videoNumber]);
    else numbers.push(videoNumber);
  }
}

type GramEntries = readonly (readonly [string, readonly number[]])[];

async function writeGrams(transaction: Executor, block: number, entries: GramEntries): Promise<void> {
  const bitsByGram = await readBits(transaction, block, entries);
  await nameIndexRepository.putGrams(
    transaction,
    entries.map(([gram, numbers]) => ({ gram, block, ...addNumbers(bitsByGram.get(gram) ?? null, numbers) })),
  );
}

/**
 * Removes the parts that the current names no longer contain. A file may have its old name again.
 */
async function removeGrams(transaction: Executor, block: number, entries: GramEntries): Promise<void> {
  const names = await readNames(transaction, [...new Set(entries.flatMap(([, numbers]) => numbers))]);
  const bitsByGram = await readBits(transaction, block, entries);
  const rows = entries.flatMap(([gram, numbers]) => {
    const bits = bitsByGram.get(gram);
    const without = numbers.filter((number) => !names.get(number)?.has(gram));
    return bits === undefined || without.length === 0 ? [] : [{ gram, block, ...removeNumbers(bits, without) }];
  });
  if (rows.length > 0) await nameIndexRepository.putGrams(transaction, rows);
}

/** The parts of the current names. */
async function readNames(transaction: Executor, numbers: readonly number[]): Promise<Map<number, Set<string>>> {
  const names = new Map<number, Set<string>>();
  for (let from = 0; from < numbers.length; from += inListLength) {
    const texts = await nameIndexRepository.readTexts(transaction, numbers.slice(from, from + inListLength));
    for (const [number, text] of texts) names.set(number, new SearchableName(text).grams());
  }
  return names;
}

async function readBits(transaction: Executor, block: number, entries: GramEntries): Promise<Map<string, Buffer>> {
  const grams = entries.map(([gram]) => gram);
  const stored = await nameIndexRepository.readGrams(transaction, grams, { first: block, last: block });
  return new Map(stored.map((row) => [row.gram, row.bits]));
}

/** Blocks of 65,536 videos that are read at once, with up to 8 KiB for each part. */
const blocksTogether = 16;

/** The parts of all words, the rarest first; null when one of them occurs in no name. */
export async function findParts(executor: Executor, words: readonly SearchWord[]): Promise<GramTotal[] | null> {
  const grams = [...new Set(words.flatMap(gramsOf))];
  const totals = grams.length === 0 ? [] : await nameIndexRepository.readTotals(executor, grams);
  const known = totals.filter(({ count }) => count > 0);
  return known.length < Math.max(1, grams.length) ? null : known.sort((a, b) => a.count - b.count);
}

/** The videos whose indexed names have all of the parts. The caller owns the set. */
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
    // SQLite replies synchronously, so other work gets a turn first.
    await letOthersRun();
    signal?.throwIfAborted();
    const rows = await nameIndexRepository.readGrams(executor, grams, {
      first,
      last: Math.min(last, first + blocksTogether - 1),
    });
    for (const blocks of Map.groupBy(rows, (row) => row.block).values())
      if (blocks.length === parts.length) addShared(shared, blocks);
  }
}

/** Returns those of the videos whose names have all words. */
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
    for (const [number, text] of await nameIndexRepository.readTexts(
      executor,
      numbers.slice(from, from + inListLength),
    )) {
      const name = new SearchableName(text);
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
