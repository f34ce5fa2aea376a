import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Executor } from '../database/tables.ts';
import type { SetChanges } from './set-changes.ts';

/**
 * One transaction with the changes it makes to the sets; what was committed is in the sets when it returns. It holds the
 * log from its first statement on.
 */
export type WriteWithSets = <T>(work: (transaction: Executor, changes: SetChanges) => Promise<T>) => Promise<T>;

interface SlicePlace {
  /** What the last slice that was committed has returned; 0 at first. */
  after: number;
  /** How many links, videos or rows it is to take. */
  length: number;
}

/**
 * Some of a long work, in a transaction that holds the log; it may be run again before it is committed.
 * @returns where the next slice begins, null when nothing is left
 */
export type Slice = (transaction: Executor, changes: SetChanges, place: SlicePlace) => Promise<number | null>;

/** How long one transaction is meant to take: so long everybody else waits, and on SQLite the whole process. */
const sliceMs = 4;
/** A machine that slept did not work so long. */
const maxRestMs = 1_000;
const firstLength = 500;
const minLength = 250;
const maxLength = 5_000;

/** Does a long work in transactions of some milliseconds. What a slice has committed stays when it is cut short. */
export async function writeInSlices(
  write: WriteWithSets,
  clock: Clock,
  slice: Slice,
  signal?: AbortSignal,
): Promise<void> {
  let length = firstLength;
  for (let after: number | null = 0; after !== null; ) {
    signal?.throwIfAborted();
    const place: SlicePlace = { after, length };
    let begun = 0;
    after = await write(async (transaction, changes) => {
      // From here on: waiting for one's turn takes nothing from anybody.
      begun = clock.elapsed();
      return slice(transaction, changes, place);
    });
    const tookMs = clock.elapsed() - begun;
    length = nextLength(length, tookMs);
    // Nobody waits for this: half of the time is everybody else's.
    await rest(Math.min(tookMs, maxRestMs));
  }
}

/** As many as fit into a slice by the time that the last one took; never more than twice as many. */
function nextLength(length: number, tookMs: number): number {
  return Math.round(Math.min(Math.max(minLength, length * Math.min(2, sliceMs / tookMs)), maxLength));
}
