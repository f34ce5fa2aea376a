import { RoaringBitmap32 } from 'roaring-wasm';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Executor } from '../database/tables.ts';
import type { RandomBelow } from '../ids.ts';
import type { Log } from '../log.ts';
import type { FactsListener, NamesListener } from './follower.ts';
import type { LiveSets, VideosListener } from './live-sets.ts';
import { createLiveSets } from './live-sets.ts';
import type { Picker } from './picker.ts';
import { createPicker } from './picker.ts';
import type { RestrictedSets } from './restricted-sets.ts';
import type { SetChanges } from './set-changes.ts';
import { setRepository } from './set-repository.ts';
import type { SetsKeeper, SyncIntervals } from './set-sync.ts';
import { SetSync } from './set-sync.ts';
import { alignUntagged, putUntagged, removeTagLinks } from './tag-links.ts';
import type { Slice, WriteWithSets } from './write-slices.ts';
import { writeInSlices } from './write-slices.ts';

/** The available videos and those of each tag, in memory: picks, counts and pages need no query. */
export interface IdSets extends Picker {
  /**
   * Loads the sets, builds them if the library is older than they are, and starts to keep them in
   * step with the database.
   */
  start(): Promise<void>;
  /** Stops following the database, after a last snapshot. */
  stop(): Promise<void>;
  /** The videos that not every viewer may see, as far as the ranks of the tags are known. */
  readonly restricted: RestrictedSets;
  /** A number that differs after each change of the sets. */
  revision(): number;
  /**
   * Runs a transaction in which the library's tables and the sets change together. The changes are
   * recorded by its last statement, and the sets include them when it returns. It may run again if
   * another process was writing.
   */
  write: WriteWithSets;
  /**
   * Records changes as the last statement of a transaction that is opened elsewhere; `catchUp` is
   * called after its commit.
   */
  record(transaction: Executor, changes: SetChanges): Promise<void>;
  /** Applies committed changes to the sets; never throws, since it is repeated within a second. */
  catchUp(): Promise<void>;
  /**
   * The same as `catchUp`, but fails.
   * @throws if the log cannot be read
   */
  follow(): Promise<void>;
  /** Reads another log of the database whenever the one of the sets is due. */
  onFollow(work: () => Promise<void>): void;
  /** Calls a listener for names from now on, in the order in which they were committed. */
  onNames(listener: NamesListener): void;
  /** Calls a listener with the videos of each change from now on; null if it may be any video. */
  onVideos(listener: VideosListener): void;
  /**
   * Brings the sets up to date within a transaction; until it ends, no other transaction can record
   * changes.
   */
  catchUpWithin(transaction: Executor): Promise<void>;
  /** Lists the videos that have one tag but not another, available or not. */
  listMissing(fromTag: number, inTag: number): number[];
  /** Updates which of some videos are untagged, after links changed in this transaction. */
  putUntagged(transaction: Executor, changes: SetChanges, numbers: readonly number[]): Promise<void>;
  /** Runs a long task in transactions of some milliseconds, which take at most half of the time. */
  writeInSlices(slice: Slice, signal?: AbortSignal): Promise<void>;
  /** Updates `untagged` after a tag became active or inactive, in slices of some milliseconds. */
  alignUntagged(tagNumber: number, signal?: AbortSignal): Promise<void>;
  /** Removes a deleted tag: its set at once, its links in slices of some milliseconds. */
  removeTagLinks(tagNumber: number, signal?: AbortSignal): Promise<void>;
}

interface IdSetsDeps extends SyncIntervals {
  database: Database;
  clock: Clock;
  log: Log;
  randomBelow: RandomBelow;
  /** Held by the node that stores snapshots and compares for all; absent: there are no others. */
  keeper?: SetsKeeper;
}

const alone: SetsKeeper = { isHeld: true, seek: async () => {}, stop: async () => {} };

export function createIdSets({ database, clock, log, randomBelow, keeper = alone, ...intervals }: IdSetsDeps): IdSets {
  const videoListeners: VideosListener[] = [];
  const onVideos: VideosListener = (changed) => {
    for (const listener of videoListeners) listener(changed);
  };
  const sets = createLiveSets(onVideos);
  const listeners: NamesListener[] = [];
  const onFacts: FactsListener = (numbers, areNames) => {
    onVideos(numbers === null ? null : new Set(numbers));
    if (areNames) for (const listener of listeners) listener(numbers);
  };
  const sync = new SetSync({ database, sets, log, onFacts, keeper, ...intervals });
  return {
    ...createPicker(sets, clock, randomBelow),
    start: () => sync.start(),
    stop: () => sync.stop(),
    restricted: sets.restricted,
    revision: sets.tick,
    write: sync.write,
    record: (transaction, changes) => setRepository.recordChanges(transaction, database.dialect, changes),
    catchUp: () => sync.catchUp(),
    follow: () => sync.follow(),
    onFollow: (work) => sync.onFollow(work),
    onVideos: (listener) => void videoListeners.push(listener),
    onNames: (listener) => void listeners.push(listener),
    catchUpWithin: (transaction) => sync.catchUpWithin(transaction),
    listMissing: (fromTag, inTag) => listMissing(sets, fromTag, inTag),
    putUntagged,
    writeInSlices: (slice, signal) => writeInSlices(sync.write, clock, slice, signal),
    alignUntagged: (tagNumber, signal) => alignUntagged(sync.write, clock, tagNumber, signal),
    removeTagLinks: (tagNumber, signal) => removeTagLinks(sync.write, clock, tagNumber, signal),
  };
}

function listMissing(sets: LiveSets, fromTag: number, inTag: number): number[] {
  const missing = RoaringBitmap32.andNot(sets.of(fromTag).bits, sets.of(inTag).bits);
  const numbers = missing.toArray();
  missing.dispose();
  return numbers;
}
