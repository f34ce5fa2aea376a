import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Executor } from '../database/tables.ts';
import type { SetChanges } from './set-changes.ts';

/**
 * Runs one transaction with its changes to the sets, which include them when it returns. The log is
 * locked from its first statement on.
 * @param beside a key, for work on one video alone: it runs beside others with other keys, which
 * change neither what it reads nor what it writes. Absent: no other work runs meanwhile.
 */
export type WriteWithSets = <T>(
  work: (transaction: Executor, changes: SetChanges) => Promise<T>,
  beside?: string,
) => Promise<T>;

interface SlicePlace {
  /** The result of the last committed slice; 0 at first. */
  after: number;
  /** The number of links, videos or rows to process. */
  length: number;
}

/**
 * A part of a long task, in a transaction that locks the log; it may run again before it is
 * committed.
 * @returns the start of the next slice, or null if nothing is left
 */
export type Slice = (transaction: Executor, changes: SetChanges, place: SlicePlace) => Promise<number | null>;

/** The target time of one transaction: it blocks all writers, and on SQLite the whole process. */
const sliceMs = 4;
/** The limit of a pause: after a suspend, the measured time can be much too long. */
const maxRestMs = 1_000;
const firstLength = 500;
const minLength = 250;
const maxLength = 5_000;

/** Runs a long task in transactions of some milliseconds. Committed slices stay. */
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
      // The time is measured from here on: waiting for the lock holds nobody up.
      begun = clock.elapsed();
      return slice(transaction, changes, place);
    });
    const tookMs = clock.elapsed() - begun;
    length = nextLength(length, tookMs);
    // This work is not urgent, so half of the time is left to everybody else.
    await rest(Math.min(tookMs, maxRestMs));
  }
}

/** The length that fits into a slice at the last slice's speed, at most twice as many. */
function nextLength(length: number, tookMs: number): number {
  return Math.round(Math.min(Math.max(minLength, length * Math.min(2, sliceMs / tookMs)), maxLength));
}
