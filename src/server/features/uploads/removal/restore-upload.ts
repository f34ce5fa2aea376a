import type { Executor } from '../../../database/tables.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { insertVideos } from '../../library/library-repository.ts';
import { putOnVideo } from '../../tagging/video-tags.ts';
import { resolveTagIds } from '../../tags/merged-tag-repository.ts';
import { findStoredFile } from '../reconcile/find-stored-file.ts';
import type { RemovalDeps } from './removal-deps.ts';
import type { RemovedUpload } from './removed-upload-repository.ts';
import { deleteRemoved, findRemoved, linkToVideo } from './removed-upload-repository.ts';
import type { StoredVideo } from './stored-video-repository.ts';

/**
 * The video is there again under its id and path, hidden if it was, with those of its tags that there are.
 * @throws NotFound @throws Refusal 409 when its file is not there any more
 */
export async function restoreUpload(deps: RemovalDeps, id: string, actorId: string): Promise<void> {
  const { database, idSets, revisions, clock } = deps;
  const { filename, video: stored } = await requireRemoved(database.reader, id);
  const version = await findStoredFile(deps, { ...stored, modifiedUs: stored.modified_us });
  if (version === null) throw new Refusal('conflict', { message: 'The file of this video is not there any more.' });
  await idSets.write(async (transaction, changes) => {
    const { video, tagIds } = await requireRemoved(transaction, id);
    const number = await insertAgain(transaction, changes, { ...video, modified_us: version.modifiedUs });
    await linkToVideo(transaction, id, number);
    // Somebody may be about to delete its bytes.
    if ((await deleteRemoved(transaction, id)) === null) throw new NotFound('upload');
    await putTags(transaction, changes, number, tagIds);
    await recordActivity(transaction, { actorId, kind: 'upload_restored', subject: filename }, clock.now());
    await bumpRevision(transaction, 'config');
    await bumpRevision(transaction, 'tags');
  });
  revisions.forget();
  await deps.onTaken();
}

async function requireRemoved(executor: Executor, id: string): Promise<RemovedUpload> {
  const removed = await findRemoved(executor, id);
  if (removed === null) throw new NotFound('upload');
  return removed;
}

/** @returns its new number */
async function insertAgain(transaction: Executor, changes: SetChanges, stored: StoredVideo): Promise<number> {
  const [video] = await insertVideos(transaction, changes, [stored]);
  if (video === undefined) throw new Error(`The place of ${stored.path} is taken.`);
  changes.put('untagged', [video.number], true);
  return video.number;
}

/** As they are by now: merged ones are those that they went into, and what is gone is left out. */
async function putTags(
  transaction: Executor,
  changes: SetChanges,
  videoNumber: number,
  tagIds: readonly string[],
): Promise<void> {
  const tags = [...new Set(await resolveTagIds(transaction, tagIds))];
  if (tags.length > 0) await putOnVideo(transaction, changes, videoNumber, tags);
}
