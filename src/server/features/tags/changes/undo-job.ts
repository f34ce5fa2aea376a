import type { Executor } from '../../../database/tables.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { putUntagged } from '../../../id-sets/tag-links.ts';
import type { JobKind } from '../../../jobs/job.ts';
import { readTagByNumber, setTagMerged } from '../tag-repository.ts';
import type { TagChangeDeps } from './change-jobs.ts';
import { changeKind } from './change-jobs.ts';
import type { LinkSlice } from './change-link-repository.ts';
import { deleteChangeLinks, findOtherMerges, recordAdded } from './change-link-repository.ts';
import { workThroughLinks } from './change-link-slices.ts';
import type { TagChange } from './change-repository.ts';
import { listChangeTags, updateChange } from './change-repository.ts';
import { isTagUsed, takeLinks } from './copied-link-repository.ts';

/** Takes back the links that a change added, and the tags that it created and nothing else uses. */
export function undoKind(deps: TagChangeDeps): JobKind {
  return changeKind(deps, 'tag-undo', async (change, { signal }) => {
    if (change.state === 'undoing') await takeBackChange(deps, change, signal);
  });
}

/** Of a change that is `undoing`; may be done again from the beginning. */
export async function takeBackChange(deps: TagChangeDeps, change: TagChange, signal: AbortSignal): Promise<void> {
  const { database, idSets, clock, jobs, writeTags } = deps;
  const planned = (transaction: Executor, _: SetChanges, slice: LinkSlice) => deleteChangeLinks(transaction, slice);
  await workThroughLinks(deps, change.number, { planned, added: takeBack }, signal);
  const isCreation = change.kind === 'import' || change.kind === 'sidecars';
  if (!isCreation)
    for (const tag of await listChangeTags(database.reader, change.number)) await idSets.alignUntagged(tag, signal);
  await writeTags(async (transaction, changes) => {
    for (const tag of await listChangeTags(transaction, change.number)) {
      if (isCreation) await removeUnused(deps, transaction, changes, tag);
      else await setTagMerged(transaction, tag, null, 1);
    }
    await updateChange(transaction, change.number, { state: 'undone', finished_at: clock.now() });
  });
  jobs.wake();
}

/** What another tag brought along as well stays, and goes when that merge is undone. */
async function takeBack(transaction: Executor, changes: SetChanges, slice: LinkSlice): Promise<void> {
  const { tagNumber, videoNumbers } = slice;
  await deleteChangeLinks(transaction, slice);
  const others = await findOtherMerges(transaction, slice);
  for (const [changeNumber, ofChange] of Map.groupBy(others.keys(), (video) => others.get(video) ?? 0))
    await recordAdded(transaction, { changeNumber, tagNumber, videoNumbers: ofChange });
  const taken = await takeLinks(
    transaction,
    tagNumber,
    videoNumbers.filter((video) => !others.has(video)),
  );
  changes.put(tagNumber, taken, false);
  await putUntagged(transaction, changes, taken);
}

async function removeUnused(
  { tagRemoval }: TagChangeDeps,
  transaction: Executor,
  changes: SetChanges,
  tagNumber: number,
): Promise<void> {
  const tag = await readTagByNumber(transaction, tagNumber);
  if (tag?.isActive && !(await isTagUsed(transaction, tagNumber)))
    await tagRemoval.removeWithin(transaction, changes, tagNumber);
}
