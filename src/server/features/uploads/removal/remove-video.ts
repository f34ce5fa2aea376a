import type { Executor } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { needSets } from '../../../id-sets/set-key.ts';
import type { DerivedFile } from '../../../storage/derived-files.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { listDerivedFiles } from '../../videos/encodings/derived-file-repository.ts';
import { fileIdOf } from '../upload-file.ts';
import { deleteEntry } from './history-entry-repository.ts';
import { findStoringUser, insertRemoved, linkToRemoved } from './removed-upload-repository.ts';
import { deleteVideo, listTagsOf, readPosterContent, readStoredVideo } from './stored-video-repository.ts';

export interface RemovedVideo {
  /** Names its poster; null without one. */
  poster: string | null;
  /** Its encodings, and what was made with them. */
  derived: DerivedFile[];
}

/**
 * Part of a transaction that holds the log: nothing but the removed upload knows of the video any more, and its number is
 * never given out again. Clients ask again for what they show (`config`) and for what they list (`tags`). Its bytes stay.
 */
export async function removeVideo(
  { transaction, changes }: { transaction: Executor; changes: SetChanges },
  { videoNumber, entryId, actorId, now }: { videoNumber: number; entryId: string; actorId: string; now: number },
): Promise<RemovedVideo> {
  const tags = await listTagsOf(transaction, videoNumber);
  const poster = await readPosterContent(transaction, videoNumber);
  const derived = await listDerivedFiles(transaction, videoNumber);
  const video = await readStoredVideo(transaction, videoNumber);
  const { filename, size } = video;
  const id = fileIdOf(video.path);
  await insertRemoved(transaction, {
    id,
    user_id: await findStoringUser(transaction, videoNumber),
    removed_by: actorId,
    filename,
    size,
    video: JSON.stringify(video),
    tag_ids: JSON.stringify(tags.map((tag) => tag.id)),
    hidden_fingerprint: video.hidden_at === null ? null : video.fingerprint,
    removed_at: now,
  });
  await linkToRemoved(transaction, videoNumber, id);
  await deleteEntry(transaction, entryId, now);
  await deleteVideo(transaction, videoNumber);
  const needKeys = needSets.filter(({ bit }) => (video.needs & bit) !== 0).map(({ key }) => key);
  for (const key of ['available', 'untagged', ...needKeys, ...tags.map((tag) => tag.number)] as const)
    changes.remove(key, videoNumber);
  changes.put('names', [videoNumber], true);
  await recordActivity(transaction, { actorId, kind: 'upload_removed', subject: filename }, now);
  await bumpRevision(transaction, 'config');
  await bumpRevision(transaction, 'tags');
  return { poster, derived };
}
