import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Database } from '../database/connection.ts';
import type { Executor } from '../database/tables.ts';
import type { Log } from '../log.ts';
import type { Lease } from '../nodes/lease.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import { encodeSet } from './bits.ts';
import type { FactsListener, Follower } from './follower.ts';
import { createFollower } from './follower.ts';
import type { LiveSet, LiveSets } from './live-sets.ts';
import { formKeys } from './set-changes.ts';
import type { SetComparison } from './set-comparison.ts';
import { buildAllSets, createSetComparison, rebuildSet } from './set-comparison.ts';
import { setRepository } from './set-repository.ts';
import type { WriteWithSets } from './write-slices.ts';

export interface SyncIntervals {
  /** The interval for reading changes of other processes, in milliseconds. */
  followEveryMs?: number;
  /** The interval for storing snapshots, in milliseconds. */
  keepEveryMs?: number;
}

export type SetsKeeper = Pick<Lease, 'isHeld' | 'seek' | 'stop'>;

interface SyncDeps extends SyncIntervals {
  /** Held by the node that stores snapshots and compares for all. */
  keeper: SetsKeeper;
  database: Database;
  sets: LiveSets;
  log: Log;
  onFacts: FactsListener;
}

const followEveryMs = 1_000;
const keepEveryMs = 30_000;

/**
 * Keeps the sets in memory and the database in step: applies committed changes, stores snapshots,
 * and compares both from time to time.
 */
export class SetSync {
  private readonly deps: SyncDeps;
  private readonly follower: Follower;
  private readonly comparison: SetComparison;
  private readonly timers: Repetition[] = [];
  private readonly companions: (() => Promise<void>)[] = [];
  private isBehind = false;
  private keeping: Promise<void> = Promise.resolve();

  constructor(deps: SyncDeps) {
    const { database, sets, log, onFacts } = deps;
    this.deps = deps;
    this.follower = createFollower(database, sets, onFacts);
    this.comparison = createSetComparison(database, sets, this.follower, log);
  }

  async start(): Promise<void> {
    await this.load();
    await this.deps.keeper.seek();
    this.timers.push(repeat(() => this.readLogs(), this.deps.followEveryMs ?? followEveryMs));
    this.timers.push(repeat(() => this.keep(), this.deps.keepEveryMs ?? keepEveryMs));
  }

  /** Runs some work with each regular reading of the log; its failures are not reported. */
  onFollow(work: () => Promise<void>): void {
    this.companions.push(work);
  }

  private async readLogs(): Promise<void> {
    await Promise.all([this.catchUp(), ...this.companions.map((work) => work().catch(() => {}))]);
  }

  async stop(): Promise<void> {
    for (const timer of this.timers.splice(0)) timer.stop();
    await this.keeping;
    await this.catchUp();
    if (this.deps.keeper.isHeld) await this.storeSnapshots().catch((error: unknown) => this.warnOfStoring(error));
    await this.deps.keeper.stop();
  }

  async catchUp(): Promise<void> {
    try {
      await this.follower.catchUp();
      this.isBehind = false;
    } catch (error) {
      if (!this.isBehind)
        this.deps.log.warn({ err: error }, 'the sets of videos cannot follow the database at the moment');
      this.isBehind = true;
    }
  }

  /** @throws when the log cannot be read */
  follow(): Promise<void> {
    return this.follower.catchUp();
  }

  /** @throws when the log cannot be read */
  async catchUpWithin(transaction: Executor): Promise<void> {
    await this.deps.database.dialect.holdSetLog(transaction, null);
    await this.follower.catchUp();
    const { seq } = await setRepository.readLogPlace(transaction);
    if (this.follower.seq() !== seq) throw new Error('The sets of videos are behind the database.');
  }

  write: WriteWithSets = async (work, beside) => {
    const result = await setRepository.writeWithLog(this.deps.database, work, beside);
    await this.catchUp();
    return result;
  };

  private async load(): Promise<void> {
    const { database, log } = this.deps;
    const unsound = await this.follower.load();
    const { isBuilt } = await setRepository.readLogPlace(database.reader);
    if (!isBuilt) await buildAllSets(database);
    for (const key of isBuilt ? unsound : []) {
      log.warn({ key }, 'a stored set of videos could not be read and is made again');
      await rebuildSet(database, key);
    }
    await this.follower.catchUp();
    // A library that is older than these sets has none of them.
    for (const key of formKeys) if (this.deps.sets.of(key).seq === 0) await rebuildSet(database, key);
    await this.follower.catchUp();
  }

  /** Stores snapshots, one run at a time; compares sets if there was nothing to store. */
  private keep(): Promise<void> {
    this.keeping = this.keeping.then(async () => {
      if (!this.deps.keeper.isHeld) return;
      try {
        const stored = await this.storeSnapshots();
        if (stored === 0 && (await this.comparison.takeTurn()).length > 0) await this.catchUp();
      } catch (error) {
        this.warnOfStoring(error);
      }
    });
    return this.keeping;
  }

  private storeSnapshots(): Promise<number> {
    return storeSnapshots(this.deps.database, this.deps.sets, this.follower);
  }

  private warnOfStoring(error: unknown): void {
    this.deps.log.warn({ err: error }, 'the sets of videos could not be stored');
  }
}

/** Limits of one transaction, so that it takes some milliseconds. */
const bytesTogether = 262_144;
const setsTogether = 50;
const changesTogether = 5_000;

/**
 * Stores the sets that have changed since their last snapshot, and then removes their changes from
 * the log. An interruption does no harm: a change is removed only after every set includes it in a
 * snapshot.
 * @returns the number of stored sets
 */
async function storeSnapshots(database: Database, sets: LiveSets, follower: Follower): Promise<number> {
  const upTo = follower.seq();
  const place = await setRepository.readLogPlace(database.reader);
  if (upTo <= place.keptSeq) return 0;
  // Another process has stored these sets.
  for (const set of sets.all()) if (set.seq <= place.keptSeq) sets.noteStored(set.key, set.seq);
  const changed = [...sets.all()].filter((set) => set.seq > set.storedSeq);
  for (const slice of slices(changed)) await storeSlice(database, sets, follower, slice);
  await database.write((transaction) => setRepository.recordStored(transaction, upTo));
  await trim(database, upTo);
  return changed.length;
}

async function storeSlice(
  database: Database,
  sets: LiveSets,
  follower: Follower,
  slice: readonly LiveSet[],
): Promise<void> {
  const seq = follower.seq();
  const snapshots = slice.map(({ key, bits }) => ({ key, seq, cardinality: bits.size, bits: encodeSet(bits) }));
  await database.write(async (transaction) => {
    for (const snapshot of snapshots) await setRepository.storeSnapshot(transaction, snapshot);
  });
  for (const { key } of snapshots) sets.noteStored(key, seq);
  await letOthersRun();
}

function* slices(sets: readonly LiveSet[]): Generator<LiveSet[]> {
  let slice: LiveSet[] = [];
  let bytes = 0;
  for (const set of sets) {
    slice.push(set);
    bytes += set.bits.getSerializationSizeInBytes('portable');
    if (bytes < bytesTogether && slice.length < setsTogether) continue;
    yield slice;
    [slice, bytes] = [[], 0];
  }
  if (slice.length > 0) yield slice;
}

async function trim(database: Database, upTo: number): Promise<void> {
  let first = await setRepository.readFirstSeq(database.reader);
  while (first !== null && first <= upTo) {
    const end = Math.min(upTo, first + changesTogether);
    await database.write((transaction) => setRepository.trimChanges(transaction, end));
    first = end + 1;
    await letOthersRun();
  }
}
