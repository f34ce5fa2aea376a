import { setImmediate as letOthersRun, setTimeout as rest } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { addNumbers } from '../../id-sets/bits.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import { hasGrams, putGrams, readGrams } from './gram-repository.ts';
import { SearchableName } from './name-grams.ts';
import { deleteMarks, hasUnindexed, listUnindexed, markAll } from './unindexed-repository.ts';

export interface NameIndexDeps {
  database: Database;
  clock: Clock;
  queue: JobQueue;
}

const kind = 'name-index';
/** A new name is found within twice this time. */
const everyMs = 20_000;

/** Names that go in together: the more, the fewer rows are written again. Some 20 MiB while they are at work. */
const namesTogether = 32_768;
/** Read in one go: some milliseconds. */
const pageLength = 500;
/** Parts of names that one transaction writes: some milliseconds. */
const gramsTogether = 64;
const blockLength = 65_536;

/** Video numbers by part of their names, by block. */
type Postings = Map<number, Map<string, number[]>>;

/**
 * The index that file names are found by. Scans only mark what is new, in their own transactions; the names go in
 * afterwards, in slices, and a mark leaves when its name is in. Cut short anywhere, it is done again.
 */
export class NameIndex {
  private readonly deps: NameIndexDeps;
  private timer: Repetition | null = null;

  constructor(deps: NameIndexDeps) {
    this.deps = deps;
    deps.queue.register({ kind, lane: 'light', attemptsMax: 3, run: ({ signal }) => this.fill(signal) });
  }

  /** Begins to look for new names. */
  async start(): Promise<void> {
    this.timer = repeat(() => this.queueWhenNeeded(), everyMs);
    await this.beginAnewWhenLost();
    await this.queueWhenNeeded();
  }

  stop(): void {
    this.timer?.stop();
  }

  /** Takes in every name that is marked by now. */
  async fill(signal?: AbortSignal): Promise<void> {
    for (let isMore = true; isMore; ) {
      const { postings, marks } = await this.readNext(signal);
      await this.write(postings, signal);
      await this.deleteMarks(marks, signal);
      isMore = marks.length === namesTogether;
    }
  }

  /** A library without an index and without marks, as a backup that leaves both out brings it. */
  private async beginAnewWhenLost(): Promise<void> {
    const { database } = this.deps;
    if ((await hasGrams(database.reader)) || (await hasUnindexed(database.reader))) return;
    await database.write(markAll);
  }

  private async queueWhenNeeded(): Promise<void> {
    const { database, queue } = this.deps;
    if (await hasUnindexed(database.reader)) await queue.add([{ kind, subject: '' }]);
  }

  private async readNext(signal?: AbortSignal): Promise<{ postings: Postings; marks: number[] }> {
    const postings: Postings = new Map();
    const marks: number[] = [];
    for (let length = pageLength; length === pageLength && marks.length < namesTogether; ) {
      signal?.throwIfAborted();
      const page = await listUnindexed(
        this.deps.database.reader,
        marks.at(-1) ?? 0,
        Math.min(pageLength, namesTogether - marks.length),
      );
      for (const { number, videoNumber, filename } of page) {
        marks.push(number);
        if (filename !== null) addName(postings, videoNumber, filename);
      }
      length = page.length;
      await letOthersRun();
    }
    return { postings, marks };
  }

  private async write(postings: Postings, signal?: AbortSignal): Promise<void> {
    for (const [block, grams] of postings) {
      const entries = [...grams];
      for (let from = 0; from < entries.length; from += gramsTogether)
        await this.inTurn(
          (transaction) => writeGrams(transaction, block, entries.slice(from, from + gramsTogether)),
          signal,
        );
    }
  }

  private async deleteMarks(marks: readonly number[], signal?: AbortSignal): Promise<void> {
    for (let from = 0; from < marks.length; from += pageLength)
      await this.inTurn((transaction) => deleteMarks(transaction, marks.slice(from, from + pageLength)), signal);
  }

  /** Nobody waits for this: half of the time is everybody else's. */
  private async inTurn(work: (transaction: Executor) => Promise<void>, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { database, clock } = this.deps;
    let begun = 0;
    await database.write(async (transaction) => {
      // First: whoever writes the same rows waits here, and reads what was written before.
      await database.dialect.holdNameIndex(transaction as Transaction<unknown>);
      // From here on: waiting for one's turn takes nothing from anybody.
      begun = clock.elapsed();
      await work(transaction);
    });
    await rest(clock.elapsed() - begun);
  }
}

function addName(postings: Postings, videoNumber: number, filename: string): void {
  const block = Math.floor(videoNumber / blockLength);
  const grams = postings.get(block) ?? new Map<string, number[]>();
  postings.set(block, grams);
  for (const gram of new SearchableName(filename).grams()) {
    const numbers = grams.get(gram);
    if (numbers === undefined) grams.set(gram, [videoNumber]);
    else numbers.push(videoNumber);
  }
}

async function writeGrams(
  transaction: Executor,
  block: number,
  entries: readonly (readonly [string, readonly number[]])[],
): Promise<void> {
  const stored = await readGrams(
    transaction,
    entries.map(([gram]) => gram),
    { first: block, last: block },
  );
  const bitsByGram = new Map(stored.map((row) => [row.gram, row.bits]));
  await putGrams(
    transaction,
    entries.map(([gram, numbers]) => ({ gram, block, ...addNumbers(bitsByGram.get(gram) ?? null, numbers) })),
  );
}
