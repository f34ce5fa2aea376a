import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Database } from '../database/connection.ts';
import type { Executor } from '../database/tables.ts';
import { encodeNumbers } from './bits.ts';
import type { SetChange } from './set-changes.ts';
import type { SetKey } from './set-key.ts';
import { needSets } from './set-key.ts';
import { holdLog, recordBuilt, recordChanges } from './set-repository.ts';
import { listNumbers, listTagNumbers } from './source-repository.ts';

const pageLength = 50_000;

/** Makes a set anew from the library's tables, as one change of the log, so that every process takes it over. */
export async function rebuildSet(database: Database, key: SetKey): Promise<void> {
  await rebuildSets(database, [key]);
}

/** For a library that is older than its sets. Cut short, it is done again from the beginning. */
export async function buildAllSets(database: Database): Promise<void> {
  const needKeys = needSets.map(({ key }) => key);
  await rebuildSets(database, ['available', 'untagged', ...needKeys, ...(await listTagNumbers(database.reader))]);
  await database.write(recordBuilt);
}

/** Many small sets share a transaction; a large one has its own. */
async function rebuildSets(database: Database, keys: readonly SetKey[]): Promise<void> {
  const left = [...keys];
  while (left.length > 0) {
    const built = await database.write((transaction) => rebuildSome(transaction, left));
    left.splice(0, built);
    await letOthersRun();
  }
}

/** @returns how many of the sets were made */
async function rebuildSome(transaction: Executor, keys: readonly SetKey[]): Promise<number> {
  // First, so that nobody's change falls between what is read here and the place that this one gets.
  await holdLog(transaction);
  const changes: SetChange[] = [];
  let numbersRead = 0;
  for (const key of keys) {
    const numbers = await readAll(transaction, key);
    changes.push({ key, op: 'replace', bits: encodeNumbers(numbers) });
    numbersRead += numbers.length;
    if (numbersRead >= pageLength) break;
  }
  await recordChanges(transaction, changes);
  return changes.length;
}

async function readAll(executor: Executor, key: SetKey): Promise<number[]> {
  const numbers: number[] = [];
  let after: number | undefined = 0;
  while (after !== undefined) {
    const page: number[] = await listNumbers(executor, key, after, pageLength);
    for (const number of page) numbers.push(number);
    after = page.at(-1);
  }
  return numbers;
}
