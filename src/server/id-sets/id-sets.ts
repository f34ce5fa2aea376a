import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Executor } from '../database/tables.ts';
import type { RandomBelow } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import { createAudit } from './audit.ts';
import { buildAllSets, rebuildSet } from './build-sets.ts';
import { createFollower } from './follow.ts';
import { keepSnapshots } from './keep-snapshots.ts';
import { createLiveSets } from './live-sets.ts';
import type { Picker } from './picker.ts';
import { createPicker } from './picker.ts';
import { SetChanges } from './set-changes.ts';
import { readLogPlace, recordChanges } from './set-repository.ts';
import type { WriteWithSets } from './tag-links.ts';
import { alignUntagged, putUntagged, removeTagLinks } from './tag-links.ts';

/** Which videos are available and which tag is on which of them, in memory: picks, counts and pages without a query. */
export interface IdSets extends Picker {
  /** Loads the sets, builds them when the library is older than they are, and begins to follow. */
  start(): Promise<void>;
  /** Ends following after a last snapshot. */
  stop(): Promise<void>;
  /** Another number after each change that the sets have taken over. */
  revision(): number;
  /**
   * One transaction in which the library's tables and the sets change together. The changes are recorded as its last statement, and the sets
   * hold them when it returns. It may be run again when another process was writing.
   */
  write: WriteWithSets;
  /** For a transaction that is opened elsewhere: its last statement. `follow` comes after the commit. */
  record(transaction: Executor, changes: SetChanges): Promise<void>;
  /** Takes over what was committed; never throws, since it is tried again within a second. */
  follow(): Promise<void>;
  /** Which of some videos are untagged by now: after links were added or removed in this transaction. */
  putUntagged(transaction: Executor, changes: SetChanges, numbers: readonly number[]): Promise<void>;
  /** After a tag became active or inactive. */
  alignUntagged(tagNumber: number): Promise<void>;
  /** For a tag that goes for good: its set at once, its links in slices of some milliseconds. */
  removeTagLinks(tagNumber: number, signal?: AbortSignal): Promise<void>;
}

export interface IdSetsParts {
  database: Database;
  clock: Clock;
  log: Log;
  randomBelow: RandomBelow;
  /** How often other processes' changes are looked for. */
  followEveryMs?: number;
  keepEveryMs?: number;
}

const followEveryMs = 1_000;
const keepEveryMs = 30_000;

export function createIdSets({ database, clock, log, randomBelow, ...intervals }: IdSetsParts): IdSets {
  const sets = createLiveSets();
  const follower = createFollower(database, sets);
  const audit = createAudit(database, sets, follower, log);
  const picker = createPicker(sets, clock, randomBelow);
  const timers: Repetition[] = [];
  let isBehind = false;
  let keeping: Promise<void> = Promise.resolve();

  async function follow(): Promise<void> {
    try {
      await follower.follow();
      isBehind = false;
    } catch (error) {
      if (!isBehind) log.warn({ err: error }, 'the sets of videos cannot follow the database at the moment');
      isBehind = true;
    }
  }

  const write: WriteWithSets = async (work) => {
    const result = await database.write(async (transaction) => {
      const changes = new SetChanges();
      const value = await work(transaction, changes);
      await recordChanges(transaction, changes.list());
      return value;
    });
    await follow();
    return result;
  };

  /** One turn at a time; when there is nothing to store, there is time to compare. */
  function keep(): Promise<void> {
    keeping = keeping.then(async () => {
      try {
        const stored = await keepSnapshots(database, sets, follower);
        if (stored === 0 && (await audit.takeTurn()).length > 0) await follow();
      } catch (error) {
        log.warn({ err: error }, 'the sets of videos could not be stored');
      }
    });
    return keeping;
  }

  async function load(): Promise<void> {
    const unsound = await follower.load();
    const { isBuilt } = await readLogPlace(database.reader);
    if (!isBuilt) await buildAllSets(database);
    for (const key of isBuilt ? unsound : []) {
      log.warn({ key }, 'a stored set of videos could not be read and is made again');
      await rebuildSet(database, key);
    }
    await follower.follow();
  }

  return {
    ...picker,
    async start() {
      await load();
      timers.push(repeat(follow, intervals.followEveryMs ?? followEveryMs));
      timers.push(repeat(keep, intervals.keepEveryMs ?? keepEveryMs));
    },
    async stop() {
      for (const timer of timers.splice(0)) timer.stop();
      await keeping;
      await follow();
      await keepSnapshots(database, sets, follower).catch((error: unknown) => log.warn({ err: error }, 'the sets of videos could not be stored'));
    },
    revision: sets.tick,
    write,
    record: (transaction, changes) => recordChanges(transaction, changes.list()),
    follow,
    putUntagged,
    alignUntagged: (tagNumber) => alignUntagged(write, sets, tagNumber),
    removeTagLinks: (tagNumber, signal) => removeTagLinks(write, clock, tagNumber, signal),
  };
}
