import type { Clock } from '../clock.ts';
import type { Executor } from '../database/tables.ts';
import type { SetChanges } from './set-changes.ts';
import { sourceRepository } from './source-repository.ts';
import type { WriteWithSets } from './write-slices.ts';
import { writeInSlices } from './write-slices.ts';

/** Empties a tag's set, then removes its links in slices. After an interruption it can continue. */
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
      const end = await sourceRepository.findSliceEnd(transaction, tagNumber, length);
      if (end === null) return null;
      changes.put('untagged', await sourceRepository.findOnlyTagged(transaction, tagNumber, end), true);
      await sourceRepository.deleteLinks(transaction, tagNumber, end);
      return end;
    },
    signal,
  );
}

/**
 * Updates `untagged` for the videos of a tag that became active or inactive. If it is interrupted,
 * the next call starts over.
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
      const numbers = await sourceRepository.listNumbers(transaction, tagNumber, after, length);
      await putUntagged(transaction, changes, numbers);
      return numbers.at(-1) ?? null;
    },
    signal,
  );
}

/**
 * Updates which of some videos are untagged. The links of each are locked (`WriteWithSets`),
 * because two transactions that remove different tags from one video would otherwise each still see
 * the tag that the other one removes.
 */
export async function putUntagged(
  transaction: Executor,
  changes: SetChanges,
  numbers: readonly number[],
): Promise<void> {
  if (numbers.length === 0) return;
  const untagged = new Set(await sourceRepository.findUntagged(transaction, numbers));
  changes.put('untagged', untagged, true);
  changes.put(
    'untagged',
    numbers.filter((number) => !untagged.has(number)),
    false,
  );
}
