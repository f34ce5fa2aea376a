import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { RoaringBitmap32 } from 'roaring-wasm';
import type { Database } from '../database/connection.ts';
import type { Log } from '../log.ts';
import { rebuildSet } from './build-sets.ts';
import type { Follower } from './follower.ts';
import type { LiveSets } from './live-sets.ts';
import type { SetKey } from './set-key.ts';
import { needSets } from './set-key.ts';
import { readLogPlace } from './set-repository.ts';
import { countNumbers, listNumbers } from './source-repository.ts';

/** Numbers that one turn counts in the database, about 10 ms; a larger set has a turn of its own. */
const numbersTogether = 50_000;
/** Numbers that are compared one by one, some milliseconds. */
const pageLength = 2_000;

/** Goes round all sets, a few each time, and compares what they hold with what the library's tables say. */
export interface SetComparison {
  /** @returns the sets that were wrong and are being rebuilt */
  takeTurn(): Promise<SetKey[]>;
}

export function createSetComparison(database: Database, sets: LiveSets, follower: Follower, log: Log): SetComparison {
  let queue: SetKey[] = [];
  /** After which number the next page begins. */
  const pages = new Map<SetKey, number>();

  function nextKeys(): SetKey[] {
    // Sets of needs, too, that nothing was ever put into.
    if (queue.length === 0) queue = [...new Set([...sets.all(), ...needSets].map(({ key }) => key))];
    const keys: SetKey[] = [];
    let numbers = 0;
    for (let key = queue.shift(); key !== undefined; key = queue.shift()) {
      keys.push(key);
      numbers += sets.of(key).bits.size;
      if (numbers >= numbersTogether) break;
    }
    return keys;
  }

  /**
   * As many numbers, and the same ones on a page: the next page each time, so that a large set is compared as a whole
   * over many turns.
   */
  async function agrees(key: SetKey): Promise<boolean> {
    const { bits } = sets.of(key);
    if ((await countNumbers(database.reader, key)) !== bits.size) return false;
    const after = pages.get(key) ?? 0;
    const numbers = await listNumbers(database.reader, key, after, pageLength);
    pages.set(key, numbers.length < pageLength ? 0 : (numbers.at(-1) ?? 0));
    return holdsJust(bits, after, numbers);
  }

  return {
    async takeTurn() {
      const wrong: SetKey[] = [];
      for (const key of nextKeys()) {
        await letOthersRun();
        const isSame = await compareAt(database, follower.seq(), () => agrees(key));
        if (isSame !== false) continue;
        log.warn({ key, held: sets.of(key).bits.size }, 'a set of videos differs from the library and is made again');
        await rebuildSet(database, key);
        wrong.push(key);
      }
      return wrong;
    },
  };
}

/** Null when something was recorded meanwhile: then the two cannot be compared. */
async function compareAt(database: Database, seq: number, compare: () => Promise<boolean>): Promise<boolean | null> {
  const before = await readLogPlace(database.reader);
  const isSame = await compare();
  const after = await readLogPlace(database.reader);
  return before.seq === seq && after.seq === seq ? isSame : null;
}

/** True when a set holds just these of the numbers from beyond one up to the last of them. */
function holdsJust(bits: RoaringBitmap32, after: number, numbers: readonly number[]): boolean {
  const last = numbers.at(-1);
  return (
    last === undefined ||
    (bits.rank(last) - bits.rank(after) === numbers.length && numbers.every((number) => bits.has(number)))
  );
}
