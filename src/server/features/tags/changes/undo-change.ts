import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { markFolderChannelRemoved } from '../folder-links.ts';
import { findSurvivor } from '../merged-tag-repository.ts';
import { refuseMerging } from '../refuse-merging.ts';
import type { Tag } from '../tag.ts';
import { claimTagName } from '../tag-names.ts';
import { readTagByNumber, setTagActive } from '../tag-repository.ts';
import type { TagChangeDeps } from './change-jobs.ts';
import { toChangeJob } from './change-jobs.ts';
import type { TagChange } from './change-repository.ts';
import { findChange, listChangeTags, updateChange } from './change-repository.ts';

const dayMs = 86_400_000;
export const undoableMs = limits.tagChangeDays * dayMs;

/**
 * The tags are back when it returns; links are taken back in the background. @returns number of the change
 * @throws NotFound @throws Refusal 409 with what stands against it
 */
export async function undoChange(deps: TagChangeDeps, id: string, actorId: string): Promise<number> {
  const { clock, jobs, writeTags } = deps;
  const number = await writeTags(async (transaction) => {
    const change = await findChange(transaction, id);
    if (change === null) throw new NotFound('change');
    await beginUndo(transaction, change, clock.now());
    await recordActivity(
      transaction,
      { actorId, kind: 'tag_change_undone', subject: change.subject, detail: change.kind },
      clock.now(),
    );
    await jobs.addWithin(transaction, [toChangeJob('tag-undo', change.number)]);
    return change.number;
  });
  jobs.wake();
  return number;
}

/** Part of a transaction of `writeTags`: `takeBackChange` follows. @throws Refusal 409 with what stands against it */
export async function beginUndo(transaction: Executor, change: TagChange, now: number): Promise<void> {
  refuseUndo(change, now);
  if (change.kind === 'removal' || change.kind === 'merge') await restoreTags(transaction, change);
  await updateChange(transaction, change.number, { state: 'undoing', error: null });
}

function refuseUndo({ kind, state, created_at }: TagChange, now: number): void {
  if (kind === 'person') throw conflict('The removals that it made can be undone one by one.');
  if (state === 'running') throw conflict('This is still being done.');
  if (state === 'undoing' || state === 'undone') throw conflict('This was undone already.');
  if (now >= created_at + undoableMs)
    throw conflict(`This can be undone for ${limits.tagChangeDays} days, which are over.`);
}

/** Active again, with its own name. What failed half-way has never been away, or is back. */
async function restoreTags(transaction: Executor, change: TagChange): Promise<void> {
  const tags: Tag[] = [];
  for (const number of await listChangeTags(transaction, change.number)) {
    const tag = await readTagByNumber(transaction, number);
    if (tag !== null) tags.push(tag);
  }
  if (tags.length === 0) throw conflict(`The channel ${change.subject} is gone for good.`);
  for (const tag of tags.filter(({ isActive }) => !isActive)) await restoreTag(transaction, tag);
}

async function restoreTag(transaction: Executor, tag: Tag): Promise<void> {
  const into = tag.mergedInto === null ? null : await readTagByNumber(transaction, tag.mergedInto);
  if (into !== null) await refuseMerging(transaction, into);
  const aliasOf = await findSurvivor(transaction, tag.number);
  await claimTagName(transaction, tag.name, { tag: tag.number, aliasOf });
  await setTagActive(transaction, tag.number, 1);
  if (tag.mergedInto === null) await markFolderChannelRemoved(transaction, tag.number, 0);
}

function conflict(message: string): Refusal {
  return new Refusal('conflict', { message });
}
