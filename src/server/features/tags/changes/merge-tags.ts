import { z } from 'zod';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import { Invalid } from '../../../http/pipeline/errors.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import type { JobKind, JobRun } from '../../../jobs/job.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { tagEdits } from '../edit-tags.ts';
import type { TagPair } from '../link-repository.ts';
import { tagLinkRepository } from '../link-repository.ts';
import { mergedTagRepository } from '../merged-tag-repository.ts';
import { tagRepository } from '../tag-repository.ts';
import { refuseMerging } from '../write-tags.ts';
import type { TagChangeDeps } from './change-jobs.ts';
import { changeKind, recordChange, toChangeJob } from './change-jobs.ts';
import type { TagChange } from './change-repository.ts';
import { tagChangeRepository } from './change-repository.ts';

const name = 'tag-merge';
const payloadSchema = z.object({ from: z.number(), into: z.number() });
/** The most links that the final transaction of a merge copies. */
const maxLeft = 200;

/**
 * Starts a merge. Both tags stay as they are until the links are copied.
 * @returns number of the change
 * @throws NotFound
 * @throws Invalid into itself
 * @throws Refusal 409 while one of the two is being merged
 */
export async function mergeTag(
  deps: TagChangeDeps,
  { fromId, intoId, actorId }: { fromId: string; intoId: string; actorId: string },
): Promise<number> {
  if (fromId === intoId) throw new Invalid([{ field: 'into', message: 'It cannot be merged into itself' }]);
  const number = await deps.writeTags(async (transaction) => {
    const [from, into] = [
      await tagEdits.readActive(transaction, fromId),
      await tagEdits.readActive(transaction, intoId),
    ];
    for (const tag of [from, into]) await refuseMerging(transaction, tag);
    await tagRepository.setMerged(transaction, from.number, into.number);
    await recordActivity(
      transaction,
      { actorId, kind: 'tag_merged', subject: from.name, detail: into.name },
      deps.clock.now(),
    );
    const change = await recordChange(transaction, deps, {
      kind: 'merge',
      subject: from.name,
      detail: into.name,
      actorId,
      tags: [from.number],
      links: 0,
      state: 'running',
    });
    await deps.jobs.addWithin(transaction, [toChangeJob(name, change, { from: from.number, into: into.number })]);
    return change;
  });
  deps.jobs.wake();
  return number;
}

export function mergeKind(deps: TagChangeDeps): JobKind {
  return changeKind(deps, name, async (change, run) => {
    const pair = payloadSchema.parse(run.job.payload);
    if (change.state === 'running') {
      await takeOver(deps, pair, run.signal);
      for (let isDone = false; !isDone; ) {
        await copyMissing(deps, change, pair, run);
        isDone = await finish(deps, change, pair);
      }
    }
    // This also runs when a process died after the merge was finished.
    if (change.state === 'running' || change.state === 'done') await deps.idSets.alignUntagged(pair.from, run.signal);
  });
}

/** Copies all links that the first tag has and the second lacks. */
async function copyMissing(
  { idSets }: TagChangeDeps,
  change: TagChange,
  pair: TagPair,
  { signal, report }: JobRun,
): Promise<void> {
  const numbers = idSets.listMissing(pair.from, pair.into);
  await idSets.writeInSlices(async (transaction, changes, { after, length }) => {
    await copy(transaction, changes, change, pair, numbers.slice(after, after + length));
    report((100 * after) / Math.max(1, numbers.length));
    return after + length < numbers.length ? after + length : null;
  }, signal);
}

async function copy(
  transaction: Executor,
  changes: SetChanges,
  change: TagChange,
  pair: TagPair,
  numbers: readonly number[],
): Promise<void> {
  for (let from = 0; from < numbers.length; from += inListLength) {
    const added = await tagLinkRepository.copy(transaction, pair, numbers.slice(from, from + inListLength));
    await tagLinkRepository.recordAdded(transaction, {
      changeNumber: change.number,
      tagNumber: pair.into,
      videoNumbers: added,
    });
    changes.put(pair.into, added, true);
  }
}

async function takeOver({ idSets }: TagChangeDeps, pair: TagPair, signal: AbortSignal): Promise<void> {
  await idSets.writeInSlices(async (transaction, _, { after, length }) => {
    const links = await tagLinkRepository.listOfTag(transaction, pair.into, after, length);
    const byFolder = links.filter((link) => link.isByFolder).map((link) => link.videoNumber);
    for (let from = 0; from < byFolder.length; from += inListLength)
      await tagLinkRepository.takeOverFolderLinks(transaction, pair, byFolder.slice(from, from + inListLength));
    return links.at(-1)?.videoNumber ?? null;
  }, signal);
}

/** @returns false when too many links were added to the first tag meanwhile */
function finish({ idSets, clock, writeTags }: TagChangeDeps, change: TagChange, pair: TagPair): Promise<boolean> {
  return writeTags(async (transaction, changes) => {
    // Blocklists that name the first tag name the second one from now on.
    changes.revisions.add('profile');
    await idSets.catchUpWithin(transaction);
    const left = idSets.listMissing(pair.from, pair.into);
    if (left.length > maxLeft) return false;
    await copy(transaction, changes, change, pair, left);
    await tagRepository.setActive(transaction, pair.from, 0);
    const from = await tagRepository.findByNumber(transaction, pair.from);
    if (from !== null)
      await mergedTagRepository.putAlias(
        transaction,
        { nameKey: from.nameKey, name: from.name, tagNumber: from.number },
        clock.now(),
      );
    await tagChangeRepository.update(transaction, change.number, { state: 'done', finished_at: clock.now() });
    return true;
  });
}
