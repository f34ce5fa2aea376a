import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Database } from '../database/connection.ts';
import { decodeSet } from './bits.ts';
import type { LiveSets, Snapshot, StoredChange } from './live-sets.ts';
import type { LogKey, SetKey } from './set-changes.ts';
import type { LogPlace } from './set-repository.ts';
import { setRepository } from './set-repository.ts';

/**
 * Keeps the sets in memory in step with the change log, in the same way for changes of this process
 * and of others.
 */
export interface Follower {
  /** The last change that the sets include. */
  seq(): number;
  /**
   * Reads the snapshots.
   * @returns the sets whose snapshot could not be read and has to be rebuilt
   */
  load(): Promise<SetKey[]>;
  /** Applies all changes that were committed before the call, and maybe later ones. */
  catchUp(): Promise<void>;
}

/**
 * Called with the numbers of new or renamed videos, after their transaction; null if any video may
 * have changed, because the log does not go back far enough.
 */
export type NamesListener = (numbers: readonly number[] | null) => void;

/** Called with videos whose names, or only other facts that are shown, have changed. */
export type FactsListener = (numbers: readonly number[] | null, areNames: boolean) => void;

/** A page of snapshots is briefly in memory twice: up to 1.2 MiB each at ten million videos. */
const snapshotsTogether = 50;
const changesTogether = 500;

export function createFollower(database: Database, sets: LiveSets, onFacts: FactsListener = () => {}): Follower {
  let seq = 0;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  /** Loads the snapshots into the sets, which may be newer; their changes are never undone. */
  async function load(): Promise<SetKey[]> {
    const unsound: SetKey[] = [];
    const { keptSeq } = await setRepository.readLogPlace(database.reader);
    for await (const snapshot of eachSnapshot(database)) {
      if (isOfSet(snapshot) && !tryToAdopt(sets, snapshot)) unsound.push(snapshot.key);
    }
    seq = Math.max(seq, keptSeq);
    onFacts(null, true);
    return unsound;
  }

  async function applyCommitted(): Promise<void> {
    for (;;) {
      const place = await setRepository.readLogPlace(database.reader);
      if (place.seq <= seq) return;
      if (!(await applyNext(place))) await load();
    }
  }

  /**
   * Returns false if the log was trimmed beyond the last applied change, for example after this
   * process was suspended.
   */
  async function applyNext(place: LogPlace): Promise<boolean> {
    if (seq < place.keptSeq) return false;
    const changes = await setRepository.readChanges(database.reader, seq, changesTogether);
    if (changes[0]?.seq !== seq + 1) return false;
    for (const change of changes) {
      if (isOfSet(change)) sets.apply(change);
      else onFacts(listNumbers(change.bits), change.op === 'add');
      seq = change.seq;
    }
    if (seq < place.seq) await letOthersRun();
    return true;
  }

  function start(): Promise<void> {
    running = applyCommitted().finally(() => {
      running = null;
    });
    return running;
  }

  function startNext(): Promise<void> {
    next = null;
    return start();
  }

  return {
    seq: () => seq,
    load,
    catchUp() {
      if (running === null) return start();
      next ??= running.then(startNext, startNext);
      return next;
    },
  };
}

async function* eachSnapshot(database: Database): AsyncGenerator<Snapshot<LogKey>> {
  let after: string | null = '';
  while (after !== null) {
    const page: Awaited<ReturnType<typeof setRepository.readSnapshots>> = await setRepository.readSnapshots(
      database.reader,
      after,
      snapshotsTogether,
    );
    yield* page.snapshots;
    await letOthersRun();
    after = page.lastKey;
  }
}

function isOfSet<Row extends Snapshot<LogKey> | StoredChange<LogKey>>(row: Row): row is Row & { key: SetKey } {
  return row.key !== 'names';
}

function listNumbers(bits: Buffer): number[] {
  const numbers = decodeSet(bits);
  try {
    return numbers.toArray();
  } finally {
    numbers.dispose();
  }
}

function tryToAdopt(sets: LiveSets, snapshot: Snapshot): boolean {
  try {
    sets.adopt(snapshot);
    return true;
  } catch {
    return false;
  }
}
