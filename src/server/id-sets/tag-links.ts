import { setImmediate as letOthersRun, setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Executor } from '../database/tables.ts';
import type { LiveSets } from './live-sets.ts';
import type { SetChanges } from './set-changes.ts';
import { holdLog } from './set-repository.ts';
import { deleteLinks, findOnlyTagged, findSliceEnd, findUntagged } from './source-repository.ts';

/** One transaction with the changes it makes to the sets; what was committed is in the sets when it returns. */
export type WriteWithSets = <T>(work: (transaction: Executor, changes: SetChanges) => Promise<T>) => Promise<T>;

/** What one transaction looks at. */
const videosTogether = 500;
/**
 * How long one transaction that removes links is meant to take: so long everybody else waits, and on SQLite the whole
 * process.
 */
const sliceMs = 4;
const firstLinks = 250;
const fewestLinks = 50;
const maxLinks = 5_000;

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
  for (let links = firstLinks, isDone = false; !isDone; ) {
    signal?.throwIfAborted();
    let begun = 0;
    isDone = await write((transaction, changes) => {
      // From here on: waiting for one's turn takes nothing from anybody.
      begun = clock.elapsed();
      return removeSlice(transaction, changes, tagNumber, links);
    });
    const tookMs = clock.elapsed() - begun;
    links = nextLength(links, tookMs);
    // Nobody waits for this: half of the time is everybody else's.
    await rest(tookMs);
  }
}

/** As many links as fit into a slice by the time that the last one took; never more than twice as many. */
function nextLength(links: number, tookMs: number): number {
  return Math.round(Math.min(Math.max(fewestLinks, links * Math.min(2, sliceMs / tookMs)), maxLinks));
}

/** @returns true when there was nothing left */
async function removeSlice(
  transaction: Executor,
  changes: SetChanges,
  tagNumber: number,
  links: number,
): Promise<boolean> {
  await holdLog(transaction);
  const end = await findSliceEnd(transaction, tagNumber, links);
  if (end === null) return true;
  changes.put('untagged', await findOnlyTagged(transaction, tagNumber, end), true);
  await deleteLinks(transaction, tagNumber, end);
  return false;
}

/** After a tag became active or inactive: brings `untagged` in line for the videos that it is on. */
export async function alignUntagged(write: WriteWithSets, sets: LiveSets, tagNumber: number): Promise<void> {
  const numbers = sets.of(tagNumber).bits.toArray();
  for (let from = 0; from < numbers.length; from += videosTogether) {
    await write((transaction, changes) =>
      putUntagged(transaction, changes, numbers.slice(from, from + videosTogether)),
    );
    await letOthersRun();
  }
}

/**
 * Which of some videos are untagged by now. Two who take different tags off one video at once must not each see the
 * other's.
 */
export async function putUntagged(
  transaction: Executor,
  changes: SetChanges,
  numbers: readonly number[],
): Promise<void> {
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
