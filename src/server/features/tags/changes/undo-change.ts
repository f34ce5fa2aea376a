import type { TagChangeList, TagChangeRecord, TagChangeReply } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { Executor } from '../../../database/tables.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { putUntagged } from '../../../id-sets/tag-links.ts';
import type { Slice } from '../../../id-sets/write-slices.ts';
import { writeInSlices } from '../../../id-sets/write-slices.ts';
import type { JobKind } from '../../../jobs/job.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { folderLinks } from '../folder-links.ts';
import type { LinkSlice } from '../link-repository.ts';
import { tagLinkRepository } from '../link-repository.ts';
import { mergedTagRepository } from '../merged-tag-repository.ts';
import type { StoredTag } from '../tag-repository.ts';
import { tagRepository } from '../tag-repository.ts';
import { claimTagName, refuseMerging } from '../write-tags.ts';
import type { TagChangeDeps } from './change-jobs.ts';
import { changeKind, toChangeJob, workThroughDetails, workThroughLinks } from './change-jobs.ts';
import type { TagChange } from './change-repository.ts';
import { tagChangeRepository } from './change-repository.ts';
import { videoDetailsRepository } from './video-details-repository.ts';

const dayMs = 86_400_000;
export const undoableMs = limits.tagChangeDays * dayMs;
/** Tags that one transaction removes. */
const tagsTogether = 20;

/**
 * Starts to undo a change. Its tags are restored when it returns; links are removed in the
 * background.
 * @returns number of the change
 * @throws NotFound
 * @throws Refusal 409 with the reason
 */
export async function undoChange(deps: TagChangeDeps, id: string, actorId: string): Promise<number> {
  const { clock, jobs, writeTags } = deps;
  const number = await writeTags(async (transaction, changes) => {
    const change = await tagChangeRepository.find(transaction, id);
    if (change === null) throw new NotFound('change');
    await beginUndo(transaction, changes, change, clock.now());
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

/**
 * Runs in a transaction of `writeTags`, before `takeBackChange`.
 * @throws Refusal 409 with the reason
 */
export async function beginUndo(
  transaction: Executor,
  changes: SetChanges,
  change: TagChange,
  now: number,
): Promise<void> {
  refuseUndo(change, now);
  // Blocklists name the merged tag itself again.
  if (change.kind === 'merge') changes.revisions.add('profile');
  if (change.kind === 'removal' || change.kind === 'merge') await restoreTags(transaction, change);
  if (change.kind === 'details' && !(await videoDetailsRepository.isLatest(transaction, change.number)))
    throw conflict('The video was changed again since then, or is gone.');
  await tagChangeRepository.update(transaction, change.number, { state: 'undoing', error: null });
}

function refuseUndo({ kind, state, created_at }: TagChange, now: number): void {
  if (kind === 'person') throw conflict('The removals that it made can be undone one by one.');
  if (state === 'running') throw conflict('This is still being done.');
  if (state === 'undoing' || state === 'undone') throw conflict('This was undone already.');
  if (now >= created_at + undoableMs)
    throw conflict(`This can be undone for ${limits.tagChangeDays} days, which are over.`);
}

/**
 * Makes the tags active again under their own names. The tags of a change that failed half-way are
 * active already.
 */
async function restoreTags(transaction: Executor, change: TagChange): Promise<void> {
  const tags: StoredTag[] = [];
  for (const number of await tagChangeRepository.listTags(transaction, change.number)) {
    const tag = await tagRepository.findByNumber(transaction, number);
    if (tag !== null) tags.push(tag);
  }
  if (tags.length === 0) throw conflict(`The channel ${change.subject} is gone for good.`);
  for (const tag of tags.filter(({ isActive }) => !isActive)) await restoreTag(transaction, tag);
}

async function restoreTag(transaction: Executor, tag: StoredTag): Promise<void> {
  const into = tag.mergedInto === null ? null : await tagRepository.findByNumber(transaction, tag.mergedInto);
  if (into !== null) await refuseMerging(transaction, into);
  const aliasOf = await mergedTagRepository.findSurvivor(transaction, tag.number);
  await claimTagName(transaction, tag.name, { tag: tag.number, aliasOf });
  await tagRepository.setActive(transaction, tag.number, 1);
  if (tag.mergedInto === null) await folderLinks.markChannelRemoved(transaction, tag.number, 0);
}

function conflict(message: string): Refusal {
  return new Refusal('conflict', { message });
}

/**
 * Removes the links that a change added, and the tags that it created and that nothing else uses.
 */
export function undoKind(deps: TagChangeDeps): JobKind {
  return changeKind(deps, 'tag-undo', async (change, { signal }) => {
    if (change.state === 'undoing') await takeBackChange(deps, change, signal);
  });
}

/** Takes back a change in the state `undoing`. It can be repeated from the beginning. */
export async function takeBackChange(deps: TagChangeDeps, change: TagChange, signal: AbortSignal): Promise<void> {
  const { database, idSets, clock, jobs, writeTags } = deps;
  const planned = (transaction: Executor, _: SetChanges, slice: LinkSlice) =>
    tagLinkRepository.deleteOfChange(transaction, slice);
  await workThroughLinks(deps, change.number, { planned, added: takeBack }, signal);
  await workThroughDetails(deps, change.number, 'takeBack', signal);
  const isCreation = change.kind === 'import' || change.kind === 'sidecars';
  const tags = await tagChangeRepository.listTags(database.reader, change.number);
  if (isCreation) await removeUnused(deps, tags, signal);
  else for (const tag of tags) await idSets.alignUntagged(tag, signal);
  await writeTags(async (transaction) => {
    if (!isCreation)
      for (const tag of await tagChangeRepository.listTags(transaction, change.number))
        await tagRepository.setMerged(transaction, tag, null, 1);
    await tagChangeRepository.update(transaction, change.number, { state: 'undone', finished_at: clock.now() });
  });
  jobs.wake();
}

/**
 * Removes links. Those that another merge added as well stay, and are removed when that merge is
 * undone.
 */
async function takeBack(transaction: Executor, changes: SetChanges, slice: LinkSlice): Promise<void> {
  const { tagNumber, videoNumbers } = slice;
  await tagLinkRepository.deleteOfChange(transaction, slice);
  const others = await tagLinkRepository.findOtherMerges(transaction, slice);
  for (const [changeNumber, ofChange] of Map.groupBy(others.keys(), (video) => others.get(video) ?? 0))
    await tagLinkRepository.recordAdded(transaction, { changeNumber, tagNumber, videoNumbers: ofChange });
  const taken = await tagLinkRepository.takeTagFromVideos(
    transaction,
    tagNumber,
    videoNumbers.filter((video) => !others.has(video)),
  );
  changes.put(tagNumber, taken, false);
  await putUntagged(transaction, changes, taken);
}

/** Removes the tags that nothing uses: an import may have created thousands. */
async function removeUnused(
  { writeTags, clock, tagRemoval }: TagChangeDeps,
  tagNumbers: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const remove: Slice = async (transaction, changes, { after, length }) => {
    const end = after + Math.min(length, tagsTogether);
    for (const number of tagNumbers.slice(after, end)) {
      const tag = await tagRepository.findByNumber(transaction, number);
      if (tag?.isActive && !(await tagLinkRepository.isTagUsed(transaction, number)))
        await tagRemoval.removeWithin(transaction, changes, number);
    }
    return end < tagNumbers.length ? end : null;
  };
  await writeInSlices(writeTags, clock, remove, signal);
}

/** The changes that can be undone or were, latest first. */
export async function readChangePage(
  { database: { lists }, clock }: { database: Database; clock: Clock },
  { page, limit }: { page: number; limit: number },
): Promise<TagChangeList> {
  const since = clock.now() - undoableMs;
  const total = await tagChangeRepository.count(lists, since);
  const changes = await tagChangeRepository.list(lists, { since, limit, offset: (page - 1) * limit });
  return { changes: changes.map(toRecord), total, total_pages: lastPageOf(total, limit), page, limit };
}

/** @throws NotFound */
export async function readChangeReply({ reader }: Database, number: number): Promise<TagChangeReply> {
  const change = await tagChangeRepository.read(reader, number);
  if (change === null) throw new NotFound('change');
  return { change: toRecord(change) };
}

function toRecord({ id, kind, state, subject, detail, made_by, created_at, tags, links, error }: TagChange) {
  return {
    id,
    kind,
    state,
    subject,
    detail,
    made_by,
    created_at: new Date(created_at).toISOString(),
    expires_at: new Date(created_at + undoableMs).toISOString(),
    tags,
    links,
    error,
  } satisfies TagChangeRecord;
}
