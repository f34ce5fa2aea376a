import type { Executor } from '../../../database/tables.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import type { FileReading } from '../../../media/probe/file-reading.ts';
import type { FileVersion } from '../../../storage/file-version.ts';
import type { NewVideo } from '../../library/library-repository.ts';
import { insertVideos } from '../../library/library-repository.ts';
import { toProbedFacts } from '../../library/probed-facts.ts';
import { putOnVideo } from '../../tagging/video-tags.ts';
import { resolveTagIds } from '../../tags/merged-tag-repository.ts';
import { findVideoByNumber } from '../../videos/video-repository.ts';
import type { UploadFile, UploadSession } from '../upload-file.ts';
import { videoPath } from '../upload-file.ts';
import type { IntakeDeps } from './intake-deps.ts';
import { completeFile, findCandidates } from './intake-repository.ts';

/**
 * One transaction: the entry points at a video that was there. @returns false when that has been removed meanwhile
 * @throws Refusal 410 when the upload was cancelled meanwhile
 */
export async function commitExisting(
  { idSets, clock }: IntakeDeps,
  session: UploadSession,
  file: UploadFile,
  videoNumber: number,
): Promise<boolean> {
  return idSets.write(async (transaction, changes) => {
    // The log is held: nobody removes the video, or one of the tags, before this transaction ends.
    if ((await findVideoByNumber(transaction, videoNumber)) === null) return false;
    await complete(transaction, file, { videoNumber, storedBytes: 0, now: clock.now() });
    // What needs approval does not change what others see.
    if (!session.needsApproval) await putTags(transaction, changes, session, videoNumber);
    return true;
  });
}

/**
 * One transaction: the video, its tags, the sets and the entry.
 * @param compared numbers of videos that look the same and are not
 * @returns false when there is another one by now that looks the same: another node may have stored these bytes
 * @throws Refusal 410 when it was cancelled meanwhile
 */
export async function commitNew(
  deps: IntakeDeps,
  session: UploadSession,
  file: UploadFile,
  { compared, ...read }: { reading: FileReading; version: FileVersion; compared: readonly number[] },
): Promise<boolean> {
  const { fingerprint } = read.reading;
  return deps.idSets.write(async (transaction, changes) => {
    // The log is held: one node after the other, so that each sees what the one before has stored.
    const looks = { fingerprint: fingerprint ?? '', size: file.size };
    if (fingerprint !== null && (await findCandidates(transaction, looks, compared)).length > 0) return false;
    const [video] = await insertVideos(transaction, changes, [toNewVideo(deps, session, file, read)]);
    if (video === undefined) throw new Error(`The place of upload ${file.id} is taken.`);
    await complete(transaction, file, {
      videoNumber: video.number,
      storedBytes: read.version.size,
      now: deps.clock.now(),
    });
    changes.put('untagged', [video.number], true);
    await putTags(transaction, changes, session, video.number);
    return true;
  });
}

async function complete(
  transaction: Executor,
  file: UploadFile,
  done: { videoNumber: number; storedBytes: number; now: number },
): Promise<void> {
  if (!(await completeFile(transaction, file, done))) throw new Refusal('gone');
}

/** Tags that are gone by now are left out. The log is held: nobody merges or removes one of them before the end. */
async function putTags(
  transaction: Executor,
  changes: SetChanges,
  { tagIds }: UploadSession,
  videoNumber: number,
): Promise<void> {
  if (tagIds.length === 0) return;
  const tags = [...new Set(await resolveTagIds(transaction, tagIds))];
  if (tags.length === 0) return;
  await putOnVideo(transaction, changes, videoNumber, tags);
  await bumpRevision(transaction, 'tags');
}

function toNewVideo(
  { ids, clock, rootNumber }: IntakeDeps,
  { needsApproval }: UploadSession,
  file: UploadFile,
  { reading: { probe, fingerprint }, version }: { reading: FileReading; version: FileVersion },
): NewVideo {
  return {
    id: ids.long(),
    root_number: rootNumber(),
    path: videoPath(file),
    filename: file.filename,
    size: version.size,
    modified_us: version.modifiedUs,
    inode: null,
    fingerprint,
    ...toProbedFacts(probe),
    hidden_at: needsApproval ? clock.now() : null,
    hidden_by: null,
    created_at: clock.now(),
  };
}
