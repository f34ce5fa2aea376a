import type { Clock } from '../clock.ts';
import type { Executor } from '../database/tables.ts';
import type { SetChanges } from './set-changes.ts';
import { deleteLinks, findOnlyTagged, findSliceEnd, findUntagged, listNumbers } from './source-repository.ts';
import type { WriteWithSets } from './write-slices.ts';
import { writeInSlices } from './write-slices.ts';

/**
 * Empties a tag's set at once, then takes its links out in slices. Cut short, it goes on where it was when it is called
 * again.
 */
export async function removeTagLinks(
  write: WriteWithSets,
  clock: Clock,
  tagNumber: number,
  signal?: AbortSignal,
): Promise<void> {
  await write(async (_, changes) => changes.clear(tagNumber));
  await writeInSlices(
    write,
    clock,
    async (transaction, changes, { length }) => {
      const end = await findSliceEnd(transaction, tagNumber, length);
      if (end === null) return null;
      changes.put('untagged', await findOnlyTagged(transaction, tagNumber, end), true);
      await deleteLinks(transaction, tagNumber, end);
      return end;
    },
    signal,
  );
}

/**
 * After a tag became active or inactive: brings `untagged` in line for the videos that it is on. Cut short, it is done
 * again from the beginning.
 */
export async function alignUntagged(
  write: WriteWithSets,
  clock: Clock,
  tagNumber: number,
  signal?: AbortSignal,
): Promise<void> {
  await writeInSlices(
    write,
    clock,
    async (transaction, changes, { after, length }) => {
      const numbers = await listNumbers(transaction, tagNumber, after, length);
      await putUntagged(transaction, changes, numbers);
      return numbers.at(-1) ?? null;
    },
    signal,
  );
}

/**
 * Which of some videos are untagged by now. The log is held: two who take different tags off one video at once do not
 * each see the other's.
 */
export async function putUntagged(
  transaction: Executor,
  changes: SetChanges,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  const untagged = new Set(await findUntagged(transaction, numbers));
  changes.put('untagged', untagged, true);
  changes.put(
    'untagged',
    numbers.filter((number) => !untagged.has(number)),
    false,
  );
}
