import { RoaringBitmap32 } from 'roaring-wasm';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Executor } from '../database/tables.ts';
import type { RandomBelow } from '../ids.ts';
import type { Log } from '../log.ts';
import type { NamesListener } from './follower.ts';
import type { LiveSets } from './live-sets.ts';
import { createLiveSets } from './live-sets.ts';
import type { Picker } from './picker.ts';
import { createPicker } from './picker.ts';
import type { SetChanges } from './set-changes.ts';
import { recordChanges } from './set-repository.ts';
import type { SyncIntervals } from './set-sync.ts';
import { SetSync } from './set-sync.ts';
import { alignUntagged, putUntagged, removeTagLinks } from './tag-links.ts';
import type { Slice, WriteWithSets } from './write-slices.ts';
import { writeInSlices } from './write-slices.ts';

/** Which videos are available and which tag is on which of them, in memory: picks, counts and pages without a query. */
export interface IdSets extends Picker {
  /** Loads the sets, builds them when the library is older than they are, and begins to keep them in line. */
  start(): Promise<void>;
  /** Ends that after a last snapshot. */
  stop(): Promise<void>;
  /** Another number after each change that the sets have taken over. */
  revision(): number;
  /**
   * One transaction in which the library's tables and the sets change together. The changes are recorded as its last
   * statement, and the sets hold them when it returns. It may be run again when another process was writing.
   */
  write: WriteWithSets;
  /** For a transaction that is opened elsewhere: its last statement. `catchUp` comes after the commit. */
  record(transaction: Executor, changes: SetChanges): Promise<void>;
  /** Takes over what was committed; never throws, since it is tried again within a second. */
  catchUp(): Promise<void>;
  /** The same. @throws when the log cannot be read */
  follow(): Promise<void>;
  /** Tells of names from now on, in the order in which they were committed. */
  onNames(listener: NamesListener): void;
  /** As part of a transaction: the sets hold all that was committed, and nobody adds to that until it ends. */
  catchUpWithin(transaction: Executor): Promise<void>;
  /** Videos that one tag is on and another is not, available or not. */
  listMissing(fromTag: number, inTag: number): number[];
  /** Which of some videos are untagged by now: after links were added or removed in this transaction. */
  putUntagged(transaction: Executor, changes: SetChanges, numbers: readonly number[]): Promise<void>;
  /** A long work in transactions of some milliseconds, half of the time at most. */
  writeInSlices(slice: Slice, signal?: AbortSignal): Promise<void>;
  /** After a tag became active or inactive: in slices of some milliseconds. */
  alignUntagged(tagNumber: number, signal?: AbortSignal): Promise<void>;
  /** For a tag that goes for good: its set at once, its links in slices of some milliseconds. */
  removeTagLinks(tagNumber: number, signal?: AbortSignal): Promise<void>;
}

export interface IdSetsDeps extends SyncIntervals {
  database: Database;
  clock: Clock;
  log: Log;
  randomBelow: RandomBelow;
}

export function createIdSets({ database, clock, log, randomBelow, ...intervals }: IdSetsDeps): IdSets {
  const sets = createLiveSets();
  const listeners: NamesListener[] = [];
  const onNames: NamesListener = (numbers) => {
    for (const listener of listeners) listener(numbers);
  };
  const sync = new SetSync({ database, sets, log, onNames, ...intervals });
  const write: WriteWithSets = (work) => sync.write(work);
  return {
    ...createPicker(sets, clock, randomBelow),
    start: () => sync.start(),
    stop: () => sync.stop(),
    revision: sets.tick,
    write,
    record: (transaction, changes) => recordChanges(transaction, changes.list()),
    catchUp: () => sync.catchUp(),
    follow: () => sync.follow(),
    onNames: (listener) => void listeners.push(listener),
    catchUpWithin: (transaction) => sync.catchUpWithin(transaction),
    listMissing: (fromTag, inTag) => listMissing(sets, fromTag, inTag),
    putUntagged,
    writeInSlices: (slice, signal) => writeInSlices(write, clock, slice, signal),
    alignUntagged: (tagNumber, signal) => alignUntagged(write, clock, tagNumber, signal),
    removeTagLinks: (tagNumber, signal) => removeTagLinks(write, clock, tagNumber, signal),
  };
}

function listMissing(sets: LiveSets, fromTag: number, inTag: number): number[] {
  const missing = RoaringBitmap32.andNot(sets.of(fromTag).bits, sets.of(inTag).bits);
  const numbers = missing.toArray();
  missing.dispose();
  return numbers;
}
