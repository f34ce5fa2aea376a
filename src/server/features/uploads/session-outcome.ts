import type { z } from 'zod';
import type {
  CompletedFile,
  FileProgress,
  PastUpload,
  UploadCompleted,
  UploadHistory,
  UploadProgress,
  uploadCompletionSchema,
  uploadHistoryQuerySchema,
} from '#contract/entities/upload.ts';
import type { Processing } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import { audienceRanks } from '#contract/rules/tag.ts';
import type { Executor } from '../../database/tables.ts';
import type { Env } from '../../env.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import { describeUnplayable } from '../../media/unplayable.ts';
import type { CardDeps } from '../browse/list-videos.ts';
import { readCards } from '../browse/list-videos.ts';
import type { TagCatalogue } from '../tags/tag-catalogue.ts';
import type { Audience } from '../videos/audience.ts';
import { historyRepository } from './history-repository.ts';
import { uploadSessionRepository } from './session-repository.ts';
import type { IntakeDeps } from './stored/intake.ts';
import { takeIn } from './stored/intake.ts';
import type { SessionVideo } from './stored/stored-upload-repository.ts';
import { storedUploadRepository } from './stored/stored-upload-repository.ts';
import type { StoredUploadSession, UploadFile } from './upload-file.ts';
import { expiryOf, notArrived } from './upload-file.ts';
import { mayTag, needsApproval, refuseWhenOver, requireUploader, requireUploadTags } from './upload-session.ts';

/** Shown to the owner when the video of an upload has been removed. */
const videoRemoved = 'This video has been removed.';

export interface CompletionDeps extends IntakeDeps, CardDeps {
  env: Pick<Env, 'tagEditing' | 'uploads'>;
  idSets: Pick<IdSets, 'write' | 'restricted'>;
  restrictedTags: RestrictedTags;
  tagCatalogue: TagCatalogue;
  /** Called when there are new videos. */
  onTaken(): Promise<void>;
}

/**
 * Makes videos of all files that have arrived completely. A second call does so for files that have
 * arrived since, and gives the same answer for the others. A file that the sender has given up
 * counts as failed until more of its bytes arrive.
 * @param audience the viewer that the videos are shown to
 * @throws Refusal 403 when the owner may not upload any more, 409 when the body names another
 * session, 410 for one that is over
 */
export async function completeSession(
  deps: CompletionDeps,
  session: StoredUploadSession,
  body: z.output<typeof uploadCompletionSchema>,
  audience: Audience,
): Promise<UploadCompleted> {
  if (body.session_id !== session.id)
    throw new Refusal('conflict', { message: 'The body names another upload than the address.' });
  if (session.state !== 'completed') {
    refuseWhenOver(session, deps.clock.now());
    requireUploader(deps.env, session.isOwnerAdmin);
    const tagged = await addTags(deps, session, body.tag_ids ?? []);
    await takeInAll(deps, withRightsOf(deps, tagged), body.failed_ids ?? []);
  }
  return toCompleted(deps, session, audience);
}

async function addTags(
  { database, env }: CompletionDeps,
  session: StoredUploadSession,
  tagIds: readonly string[],
): Promise<StoredUploadSession> {
  const all = [...new Set([...session.tagIds, ...tagIds])];
  if (all.length === session.tagIds.length) return session;
  await database.write(async (transaction) => {
    const { isOwnerAdmin: isAdmin } = session;
    // The key opens the session without its owner, whose plan is not asked about.
    await requireUploadTags(transaction, env, { isAdmin, rank: isAdmin ? audienceRanks.admin : 0 }, tagIds);
    await uploadSessionRepository.setTags(transaction, session.id, all);
  });
  return { ...session, tagIds: all };
}

/** Limits the session to the present rights of its owner. */
function withRightsOf({ env }: CompletionDeps, session: StoredUploadSession): StoredUploadSession {
  const { isOwnerAdmin: isAdmin } = session;
  return {
    ...session,
    needsApproval: session.needsApproval || needsApproval(env, isAdmin),
    tagIds: mayTag(env, { isAdmin }) ? session.tagIds : [],
  };
}

/** @param failedIds the files that the sender has given up */
async function takeInAll(
  deps: CompletionDeps,
  session: StoredUploadSession,
  failedIds: readonly string[],
): Promise<void> {
  const files = await uploadSessionRepository.listFiles(deps.database.reader, session.id);
  let hasTaken = false;
  for (const file of files) {
    if (file.state !== 'receiving' || !(await deps.storage.hasArrived(file))) continue;
    const refused = await takeIn(deps, session, file);
    hasTaken ||= refused === null;
  }
  await deps.database.write(async (transaction) => {
    await uploadSessionRepository.giveUpFiles(transaction, session.id, failedIds, deps.clock.now());
    await uploadSessionRepository.endWhenDone(transaction, session.id, 'completed');
  });
  if (hasTaken) await deps.onTaken();
}

async function toCompleted(
  deps: CompletionDeps,
  { id }: StoredUploadSession,
  audience: Audience,
): Promise<UploadCompleted> {
  const { reader } = deps.database;
  const files = await uploadSessionRepository.listFiles(reader, id);
  const numbers = files.flatMap(({ state, videoNumber }) => (state === 'completed' ? (videoNumber ?? []) : []));
  const seen = await deps.restrictedTags.listShown(audience.rank, numbers);
  const videos = await readCards(deps, [...seen], await deps.tagCatalogue.readFor(audience.rank), audience);
  const [found, processing] = await Promise.all([
    storedUploadRepository.findVideosOfSession(reader, id),
    deps.encodings.findProcessing(numbers),
  ]);
  const failed = files
    .filter(({ state }) => state !== 'completed')
    .map(({ filename, error }) => ({ filename, message: error ?? notArrived }));
  return {
    success: failed.length === 0,
    videos,
    files: files.map((file) => toCompletedFile(file, found, processing, seen)),
    failed,
  };
}

function toCompletedFile(
  file: UploadFile,
  found: ReadonlyMap<number, SessionVideo>,
  processing: ReadonlyMap<number, Processing>,
  seen: ReadonlySet<number>,
): CompletedFile {
  const { id, filename, error, videoNumber } = file;
  const video = videoNumber === null ? undefined : found.get(videoNumber);
  const status = statusOf(file);
  if (status !== 'completed') return { id, filename, status, video_id: null, message: error };
  return {
    id,
    filename,
    status,
    video_id: videoNumber !== null && seen.has(videoNumber) ? (video?.id ?? null) : null,
    message: describeVideo(video, processing.get(videoNumber ?? 0)),
  };
}

/** Why a stored video is not shown; null when it is. */
function describeVideo(video: SessionVideo | undefined, processing: Processing | undefined): string | null {
  if (video === undefined) return videoRemoved;
  const isBeingMade = processing !== undefined && processing.state !== 'failed';
  if (video.reason !== null) return isBeingMade ? failures.madePlayable : describeUnplayable(video.reason);
  return video.isHidden ? 'An administrator has to approve this video first.' : null;
}

/** @param now epoch milliseconds */
export async function readProgress(
  executor: Executor,
  session: StoredUploadSession,
  now: number,
): Promise<UploadProgress> {
  const files = await uploadSessionRepository.listFiles(executor, session.id);
  return { session_id: session.id, status: statusOfSession(session, now), files: files.map(toProgress) };
}

/** A cancelled session is reported as expired: it cannot go on either. */
function statusOfSession(session: StoredUploadSession, now: number): UploadProgress['status'] {
  if (session.state === 'completed') return 'completed';
  return session.state === 'open' && expiryOf(session) > now ? 'open' : 'expired';
}

function toProgress(file: UploadFile): FileProgress {
  const uploadedBytes = file.state === 'completed' ? file.size : Math.min(file.received, file.size);
  return {
    id: file.id,
    filename: file.filename,
    status: statusOf(file),
    percentage: (uploadedBytes / file.size) * 100,
    uploadedBytes,
    totalBytes: file.size,
    speed: file.speed,
    eta: file.speed === 0 ? null : (file.size - uploadedBytes) / file.speed,
    error: file.error,
  };
}

/** A file that has arrived completely stays 'uploading' until it is a video. */
function statusOf({ state, received }: Pick<UploadFile, 'state' | 'received'>): PastUpload['status'] {
  if (state !== 'receiving') return state;
  return received === 0 ? 'pending' : 'uploading';
}

/** @param owner the person, and their present rank: what is withheld from them is not named */
export async function readHistory(
  { database: { reader }, restrictedTags }: Pick<CompletionDeps, 'database' | 'restrictedTags'>,
  { userId, rank }: { userId: string; rank: number },
  { status, page, limit }: z.output<typeof uploadHistoryQuerySchema>,
): Promise<UploadHistory> {
  const total = await historyRepository.count(reader, userId, status);
  const files = await historyRepository.list(reader, userId, { status, limit, offset: (page - 1) * limit });
  const seen = await restrictedTags.listShown(
    rank,
    files.flatMap(({ videoNumber }) => videoNumber ?? []),
  );
  const uploads = files.map((file) => ({
    id: file.id,
    session_id: file.sessionId,
    filename: file.filename,
    size: file.size,
    status: file.isGivenUp ? ('failed' as const) : statusOf(file),
    error: describePastFile(file),
    video_id: seen.has(file.videoNumber ?? 0) ? file.videoId : null,
    created_at: new Date(file.createdAt).toISOString(),
    completed_at: file.completedAt === null ? null : new Date(file.completedAt).toISOString(),
  }));
  return { uploads, total, total_pages: lastPageOf(total, limit), page, limit };
}

/** Why the upload has no video, in words for its owner; null if it has one, or may get one. */
function describePastFile({
  state,
  videoId,
  isGivenUp,
  error,
}: UploadFile & { videoId: string | null }): string | null {
  if (state === 'completed' && videoId === null) return videoRemoved;
  return isGivenUp ? notArrived : error;
}
