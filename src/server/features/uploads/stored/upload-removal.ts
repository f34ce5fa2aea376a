import type { z } from 'zod';
import type { RemovedUpload, RemovedUploadList, removedUploadListQuerySchema } from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import { isDatabaseFull } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import type { Revisions } from '../../../http/pipeline/revision.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { formKeys, needSets } from '../../../id-sets/set-changes.ts';
import type { DerivedFile } from '../../../storage/derived-files.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { libraryRepository } from '../../library/library-repository.ts';
import { putOnVideo } from '../../tagging/video-tags.ts';
import { mergedTagRepository } from '../../tags/merged-tag-repository.ts';
import { encodingRepository } from '../../videos/encoding-repository.ts';
import type { Posters } from '../../videos/posters.ts';
import type { HistoryEntry, ListedRemoval, RestorableUpload } from '../history-repository.ts';
import { historyRepository } from '../history-repository.ts';
import type { EndingDeps } from '../session-end.ts';
import { terminateFile } from '../session-end.ts';
import { uploadSessionRepository } from '../session-repository.ts';
import { fileIdOf, storedName, videosFolder } from '../upload-file.ts';
import type { IntakeDeps } from './intake.ts';
import type { StoredVideo } from './stored-upload-repository.ts';
import { storedUploadRepository } from './stored-upload-repository.ts';

type Person = Pick<SignedIn, 'userId' | 'isAdmin'>;

/** The dependencies of removing and restoring videos. */
export interface RemovalDeps extends EndingDeps, Pick<IntakeDeps, 'idSets' | 'sweepTime'> {
  revisions: Pick<Revisions, 'forget'>;
  posters: Pick<Posters, 'discard'>;
  encodings: { discard(files: readonly DerivedFile[]): Promise<void> };
  /** Called when there are new videos. */
  onTaken(): Promise<void>;
}

export const keptMs = limits.uploadKeptDays * 86_400_000;

const sweptTogether = 100;

/** Removes uploads, and brings them back. */
export const uploadRemoval = {
  /**
   * Deletes an entry of an upload history. A file that is being received is cancelled. The video is
   * removed too, unless it belongs to the library or others have uploaded it as well; an
   * administrator removes it for everybody.
   * @throws NotFound also for an entry of another person
   */
  async delete(deps: RemovalDeps, id: string, person: Person): Promise<void> {
    const { idSets, database, revisions, posters, encodings } = deps;
    const { file } = await requireEntry(database.reader, id, person);
    if (file.state === 'receiving') await terminateFile(deps, file);
    const removed = await idSets.write(async (transaction, changes) => {
      // The lock on the set log keeps others from linking, removing or restoring a video until this
      // ends.
      return deleteWithin(deps, { transaction, changes }, await requireEntry(transaction, id, person), person);
    });
    if (removed === null) return;
    revisions.forget();
    // The clean-up jobs find files that could not be discarded.
    if (removed.poster !== null) await posters.discard(removed.poster).catch(() => {});
    await encodings.discard(removed.derived).catch(() => {});
  },

  /** Lists removed uploads, latest first. */
  async readPage(
    executor: Executor,
    { page, limit }: z.output<typeof removedUploadListQuerySchema>,
  ): Promise<RemovedUploadList> {
    const total = await historyRepository.countRemoved(executor);
    const rows = await historyRepository.listRemoved(executor, { limit, offset: (page - 1) * limit });
    return { uploads: rows.map(toRemovedUpload), total, total_pages: lastPageOf(total, limit), page, limit };
  },

  /**
   * Restores the video under its id and path, hidden if it was, with those of its tags that still
   * exist.
   * @throws NotFound @throws Refusal 409 when its file is missing
   */
  async restore(deps: RemovalDeps, id: string, actorId: string): Promise<void> {
    const { database, idSets, revisions, clock, storage } = deps;
    const { filename, video: stored } = await requireRemoved(database.reader, id);
    const found = await storage.files.find(`${videosFolder}/${stored.path}`);
    const version = await storage.findVersion({ ...stored, modifiedUs: stored.modified_us }, found);
    if (version === null) throw new Refusal('conflict', { message: 'The file of this video is not there any more.' });
    await idSets.write(async (transaction, changes) => {
      const { video, tagIds } = await requireRemoved(transaction, id);
      const number = await insertAgain(transaction, changes, { ...video, modified_us: version.modifiedUs });
      await historyRepository.linkToVideo(transaction, id, number);
      // Another process may be about to delete the bytes.
      if ((await historyRepository.deleteRemoved(transaction, id)) === null) throw new NotFound('upload');
      await putTags(transaction, changes, number, tagIds);
      await recordActivity(transaction, { actorId, kind: 'upload_restored', subject: filename }, clock.now());
      await bumpRevision(transaction, 'config');
      await bumpRevision(transaction, 'tags');
    });
    revisions.forget();
    await deps.onTaken();
  },

  /**
   * Removes the bytes of a removed upload, which cannot be restored afterwards.
   * @param actorId null when the retention time has passed
   * @throws NotFound
   */
  async purge({ database, storage, clock }: PurgeDeps, id: string, actorId: string | null): Promise<void> {
    const forget = () =>
      database.write(async (transaction) => {
        await historyRepository.releaseStorage(transaction, id);
        const deleted = await historyRepository.deleteRemoved(transaction, id);
        if (deleted === null) throw new NotFound('upload');
        const purged = { actorId, kind: 'upload_purged', subject: deleted.filename } as const;
        if (actorId !== null) await recordActivity(transaction, purged, clock.now());
        return deleted;
      });
    const removed = await forget().catch(async (error: unknown) => {
      if (!isDatabaseFull(error)) throw error;
      // A full disk does not even take the row that frees it: the bytes are removed first then.
      await storage.files.remove(storedName(await requireRemoved(database.reader, id)));
      return forget();
    });
    // The bytes are removed after the commit, so that no video is restored without them; if the
    // process dies here, the reconciler removes them.
    await storage.files.remove(storedName(removed));
  },

  /**
   * Purges uploads that were removed long ago, the entries deleted by then, and sessions without
   * entries.
   */
  async sweep(deps: PurgeDeps & Pick<RemovalDeps, 'sweepTime'>): Promise<void> {
    const { database, sweepTime } = deps;
    const before = (await sweepTime.readLate()) - keptMs;
    for (let length = sweptTogether; length === sweptTogether; ) {
      const ids = await historyRepository.listRemovedBefore(database.reader, before, sweptTogether);
      for (const id of ids) await uploadRemoval.purge(deps, id, null).catch(ignoreNotFound);
      length = ids.length;
    }
    for (let length = sweptTogether; length === sweptTogether; )
      length = await database.write((transaction) => historyRepository.forget(transaction, before, sweptTogether));
    for (let length = sweptTogether; length === sweptTogether; )
      length = await database.write((transaction) => uploadSessionRepository.deleteEmpty(transaction, sweptTogether));
  },
};

async function requireEntry(executor: Executor, id: string, { userId, isAdmin }: Person): Promise<HistoryEntry> {
  const entry = await historyRepository.find(executor, id);
  if (entry === null || !(isAdmin || entry.file.userId === userId)) throw new NotFound('upload');
  return entry;
}

/** @returns null when only the entry was deleted */
async function deleteWithin(
  deps: RemovalDeps,
  write: { transaction: Executor; changes: SetChanges },
  { file, video }: HistoryEntry,
  { userId }: Person,
): Promise<RemovedVideo | null> {
  const { transaction } = write;
  const now = deps.clock.now();
  const heir = video === null ? null : await historyRepository.findHeir(transaction, video.number, file.id);
  const isForAll = file.userId !== userId || heir === null;
  if (video?.isUpload && isForAll)
    return removeVideo(write, { videoNumber: video.number, entryId: file.id, actorId: userId, now });
  if (heir !== null) await historyRepository.passStorage(transaction, file.id, heir);
  await historyRepository.delete(transaction, file.id, now);
  return null;
}

interface RemovedVideo {
  /** Identifies its poster; null without one. */
  poster: string | null;
  /** Its encodings and everything derived with them. */
  derived: DerivedFile[];
}

/**
 * Removes a video, within a transaction that has locked the set log: only the removed upload knows
 * of it afterwards, and its number is never reused. The revisions `config` and `tags` make clients
 * reload. The bytes stay.
 */
async function removeVideo(
  { transaction, changes }: { transaction: Executor; changes: SetChanges },
  { videoNumber, entryId, actorId, now }: { videoNumber: number; entryId: string; actorId: string; now: number },
): Promise<RemovedVideo> {
  const tags = await storedUploadRepository.listTagsOfVideo(transaction, videoNumber);
  const poster = await storedUploadRepository.readPosterContent(transaction, videoNumber);
  const derived = await encodingRepository.listDerivedFiles(transaction, videoNumber);
  const video = await storedUploadRepository.readVideo(transaction, videoNumber);
  const { filename, size } = video;
  const id = fileIdOf(video.path);
  await historyRepository.insertRemoved(transaction, {
    id,
    user_id: await historyRepository.findStoringUser(transaction, videoNumber),
    removed_by: actorId,
    filename,
    size,
    video: JSON.stringify(video),
    tag_ids: JSON.stringify(tags.map((tag) => tag.id)),
    hidden_fingerprint: video.hidden_at === null ? null : video.fingerprint,
    removed_at: now,
  });
  await historyRepository.linkToRemoved(transaction, videoNumber, id);
  await historyRepository.delete(transaction, entryId, now);
  await storedUploadRepository.deleteVideo(transaction, videoNumber);
  const needKeys = needSets.filter(({ bit }) => (video.needs & bit) !== 0).map(({ key }) => key);
  for (const key of ['available', 'untagged', ...needKeys, ...formKeys, ...tags.map((tag) => tag.number)] as const)
    changes.remove(key, videoNumber);
  changes.put('names', [videoNumber], true);
  await recordActivity(transaction, { actorId, kind: 'upload_removed', subject: filename }, now);
  await bumpRevision(transaction, 'config');
  await bumpRevision(transaction, 'tags');
  return { poster, derived };
}

function toRemovedUpload({ id, filename, size, uploadedBy, removedBy, removedAt }: ListedRemoval): RemovedUpload {
  return {
    id,
    filename,
    size,
    uploaded_by: uploadedBy,
    removed_by: removedBy,
    removed_at: new Date(removedAt).toISOString(),
    kept_until: new Date(removedAt + keptMs).toISOString(),
  };
}

async function requireRemoved(executor: Executor, id: string): Promise<RestorableUpload> {
  const removed = await historyRepository.findRemoved(executor, id);
  if (removed === null) throw new NotFound('upload');
  return removed;
}

/** @returns its new number */
async function insertAgain(transaction: Executor, changes: SetChanges, stored: StoredVideo): Promise<number> {
  const [video] = await libraryRepository.insert(transaction, changes, [stored]);
  if (video === undefined) throw new Error(`The place of ${stored.path} is taken.`);
  changes.put('untagged', [video.number], true);
  return video.number;
}

/**
 * Adds the tags as they are now: merged tags are replaced by their targets, and deleted ones are
 * left out.
 */
async function putTags(
  transaction: Executor,
  changes: SetChanges,
  videoNumber: number,
  tagIds: readonly string[],
): Promise<void> {
  const tags = [...new Set(await mergedTagRepository.resolveIds(transaction, tagIds))];
  if (tags.length > 0) await putOnVideo(transaction, changes, videoNumber, tags);
}

type PurgeDeps = Pick<RemovalDeps, 'database' | 'storage' | 'clock'>;

/** Another node or an administrator has purged it already. */
function ignoreNotFound(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
