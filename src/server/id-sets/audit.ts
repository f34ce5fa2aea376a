import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Database } from '../database/connection.ts';
import type { Log } from '../log.ts';
import { rebuildSet } from './build-sets.ts';
import type { Follower } from './follow.ts';
import type { LiveSets } from './live-sets.ts';
import type { SetKey } from './set-key.ts';
import { readLogPlace } from './set-repository.ts';
import { countNumbers } from './source-repository.ts';

/** Numbers that one turn counts in the database, about 10 ms; a larger set has a turn of its own. */
const numbersTogether = 50_000;

/** Goes round all sets, a few each time, and compares how many numbers they hold with how many the library's tables say. */
export interface Audit {
  /** @returns the sets that were wrong and are being rebuilt */
  takeTurn(): Promise<SetKey[]>;
}

export function createAudit(database: Database, sets: LiveSets, follower: Follower, log: Log): Audit {
  let queue: SetKey[] = [];

  function nextKeys(): SetKey[] {
    if (queue.length === 0) queue = [...sets.all()].map((set) => set.key);
    const keys: SetKey[] = [];
    let numbers = 0;
    for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
      keys.push(key);
      numbers += sets.of(key).bits.size;
      if (numbers >= numbersTogether) break;
    }
    return keys;
  }

  return {
    async takeTurn() {
      const wrong: SetKey[] = [];
      for (const key of nextKeys()) {
        await letOthersRun();
        const stored = await countAt(database, key, follower.seq());
        const held = sets.of(key).bits.size;
        if (stored === null || stored === held) continue;
        log.warn({ key, held, stored }, 'a set of videos differs from the library and is made again');
        await rebuildSet(database, key);
        wrong.push(key);
      }
      return wrong;
    },
  };
}

/** Null when something was recorded meanwhile: then the two cannot be compared. */
async function countAt(database: Database, key: SetKey, seq: number): Promise<number | null> {
  const before = await readLogPlace(database.reader);
  const count = await countNumbers(database.reader, key);
  const after = await readLogPlace(database.reader);
  return before.seq === seq && after.seq === seq ? count : null;
}
