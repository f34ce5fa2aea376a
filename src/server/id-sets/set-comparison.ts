import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { RoaringBitmap32 } from 'roaring-wasm';
import type { Database } from '../database/connection.ts';
import type { Dialect } from '../database/dialect.ts';
import type { Executor } from '../database/tables.ts';
import type { Log } from '../log.ts';
import { encodeNumbers } from './bits.ts';
import type { Follower } from './follower.ts';
import type { LiveSets } from './live-sets.ts';
import type { SetChange, SetKey } from './set-changes.ts';
import { formKeys, needSets } from './set-changes.ts';
import { setRepository } from './set-repository.ts';
import { sourceRepository } from './source-repository.ts';

/**
 * A turn counts this many numbers in the database, which takes about 10 ms; a larger set has a turn
 * of its own.
 */
const numbersTogether = 50_000;
/** The numbers that are compared one by one, which takes some milliseconds. */
const comparisonPageLength = 2_000;

/** Compares all sets with the library's tables in rotation, a few in each turn. */
export interface SetComparison {
  /** @returns the sets that were wrong and have been rebuilt */
  takeTurn(): Promise<SetKey[]>;
}

export function createSetComparison(database: Database, sets: LiveSets, follower: Follower, log: Log): SetComparison {
  let queue: SetKey[] = [];
  /** The number after which the next page of a set begins. */
  const pages = new Map<SetKey, number>();

  function nextKeys(): SetKey[] {
    // Derived sets are included even if they were never changed.
    if (queue.length === 0) queue = [...new Set([...[...sets.all(), ...needSets].map(({ key }) => key), ...formKeys])];
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
   * Compares the number of members, and one page of them. Each turn takes the next page, so that a
   * large set is compared completely over many turns.
   */
  async function agrees(key: SetKey): Promise<boolean> {
    const { bits } = sets.of(key);
    if ((await sourceRepository.countNumbers(database.reader, key)) !== bits.size) return false;
    const after = pages.get(key) ?? 0;
    const numbers = await sourceRepository.listNumbers(database.reader, key, after, comparisonPageLength);
    pages.set(key, numbers.length < comparisonPageLength ? 0 : (numbers.at(-1) ?? 0));
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

/** Returns null if a change was recorded meanwhile, which makes the comparison meaningless. */
async function compareAt(database: Database, seq: number, compare: () => Promise<boolean>): Promise<boolean | null> {
  const before = await setRepository.readLogPlace(database.reader);
  const isSame = await compare();
  const after = await setRepository.readLogPlace(database.reader);
  return before.seq === seq && after.seq === seq ? isSame : null;
}

/** Whether a set holds exactly these numbers in the range above `after` up to the last one. */
function holdsJust(bits: RoaringBitmap32, after: number, numbers: readonly number[]): boolean {
  const last = numbers.at(-1);
  return (
    last === undefined ||
    (bits.rank(last) - bits.rank(after) === numbers.length && numbers.every((number) => bits.has(number)))
  );
}

const buildPageLength = 50_000;

/** Rebuilds a set from the library's tables as one change in the log, for every process. */
export async function rebuildSet(database: Database, key: SetKey): Promise<void> {
  await rebuildSets(database, [key]);
}

/** Builds the sets of a library that is older than they are. Starts over if interrupted. */
export async function buildAllSets(database: Database): Promise<void> {
  const needKeys = needSets.map(({ key }) => key);
  await rebuildSets(database, [
    'available',
    'untagged',
    ...needKeys,
    ...formKeys,
    ...(await sourceRepository.listTagNumbers(database.reader)),
  ]);
  await database.write(setRepository.recordBuilt);
}

/** Many small sets share a transaction; a large one has its own. */
async function rebuildSets(database: Database, keys: readonly SetKey[]): Promise<void> {
  const left = [...keys];
  while (left.length > 0) {
    const built = await database.write((transaction) => rebuildSome(transaction, database.dialect, left));
    left.splice(0, built);
    await letOthersRun();
  }
}

/** @returns the number of sets that were rebuilt */
async function rebuildSome(transaction: Executor, dialect: Dialect, keys: readonly SetKey[]): Promise<number> {
  // The log is locked first, so that no other change is recorded between the reading and this
  // change.
  await dialect.holdSetLog(transaction, null);
  const changes: SetChange[] = [];
  let numbersRead = 0;
  for (const key of keys) {
    const numbers = await readAll(transaction, key);
    changes.push({ key, op: 'replace', bits: encodeNumbers(numbers) });
    numbersRead += numbers.length;
    if (numbersRead >= buildPageLength) break;
  }
  await setRepository.recordChanges(transaction, dialect, { list: () => changes, revisions: new Set() });
  return changes.length;
}

async function readAll(executor: Executor, key: SetKey): Promise<number[]> {
  const numbers: number[] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: number[] = await sourceRepository.listNumbers(executor, key, after, buildPageLength);
    for (const number of page) numbers.push(number);
    after = page.at(-1);
  }
  return numbers;
}
