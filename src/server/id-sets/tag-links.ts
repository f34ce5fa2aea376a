import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Executor } from '../database/tables.ts';
import type { LiveSets } from './live-sets.ts';
import type { SetChanges } from './set-changes.ts';
import { holdLog } from './set-repository.ts';
import { deleteLinks, findOnlyTagged, findSliceEnd, findUntagged } from './source-repository.ts';

/** One transaction with the changes it makes to the sets; what was committed is in the sets when it returns. */
export type WriteWithSets = <T>(work: (transaction: Executor, changes: SetChanges) => Promise<T>) => Promise<T>;

/** What one transaction looks at: some milliseconds. */
const linksTogether = 2_000;
const videosTogether = 500;

/** Empties a tag's set at once, then takes its links out in slices. Cut short, it goes on where it was when it is called again. */
export async function removeTagLinks(write: WriteWithSets, tagNumber: number): Promise<void> {
  let isDone = false;
  while (!isDone) {
    isDone = await write(async (transaction, changes) => {
      changes.clear(tagNumber);
      return removeSlice(transaction, changes, tagNumber);
    });
    await letOthersRun();
  }
}

/** @returns true when there was nothing left */
async function removeSlice(transaction: Executor, changes: SetChanges, tagNumber: number): Promise<boolean> {
  await holdLog(transaction);
  const end = await findSliceEnd(transaction, tagNumber, linksTogether);
  if (end === null) return true;
  changes.put('untagged', await findOnlyTagged(transaction, tagNumber, end), true);
  await deleteLinks(transaction, tagNumber, end);
  return false;
}

/** After a tag became active or inactive: brings `untagged` in line for the videos that it is on. */
export async function alignUntagged(write: WriteWithSets, sets: LiveSets, tagNumber: number): Promise<void> {
  const numbers = sets.of(tagNumber).bits.toArray();
  for (let from = 0; from < numbers.length; from += videosTogether) {
    await write((transaction, changes) => putUntagged(transaction, changes, numbers.slice(from, from + videosTogether)));
    await letOthersRun();
  }
}

/** Which of some videos are untagged by now. Two who take different tags off one video at once must not each see the other's. */
export async function putUntagged(transaction: Executor, changes: SetChanges, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  await holdLog(transaction);
  const untagged = new Set(await findUntagged(transaction, numbers));
  changes.put('untagged', untagged, true);
  changes.put(
    'untagged',
    numbers.filter((number) => !untagged.has(number)),
    false,
  );
}
