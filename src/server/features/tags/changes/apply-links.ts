import type { Executor } from '../../../database/tables.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { putUntagged } from '../../../id-sets/tag-links.ts';
import type { JobKind } from '../../../jobs/job.ts';
import { findSurvivor } from '../merged-tag-repository.ts';
import type { TagChangeDeps } from './change-jobs.ts';
import { changeKind } from './change-jobs.ts';
import type { LinkSlice } from './change-link-repository.ts';
import { claimLinks, deleteChangeLinks, recordAdded } from './change-link-repository.ts';
import { workThroughLinks } from './change-link-slices.ts';
import { updateChange } from './change-repository.ts';
import { addLinks } from './copied-link-repository.ts';

/** Makes the links that a change has planned; those that were there already are not of this change. */
export function changeLinksKind(deps: TagChangeDeps): JobKind {
  const { clock, writeTags } = deps;
  return changeKind(deps, 'tag-change-links', async ({ number, state }, { signal }) => {
    if (state !== 'running') return;
    await workThroughLinks(deps, number, { planned: apply }, signal);
    await writeTags((transaction) => updateChange(transaction, number, { state: 'done', finished_at: clock.now() }));
  });
}

/** A tag that was merged meanwhile is the one that it went into; one that was removed gets nothing. */
async function apply(transaction: Executor, changes: SetChanges, slice: LinkSlice): Promise<void> {
  await deleteChangeLinks(transaction, slice);
  const tagNumber = await findSurvivor(transaction, slice.tagNumber);
  if (tagNumber === null) return;
  const { changeNumber, videoNumbers } = slice;
  const added = await addLinks(transaction, tagNumber, videoNumbers);
  await claimLinks(transaction, [tagNumber], videoNumbers, changeNumber);
  await recordAdded(transaction, { changeNumber, tagNumber, videoNumbers: added });
  changes.put(tagNumber, added, true);
  await putUntagged(transaction, changes, videoNumbers);
}
