import { setImmediate as breathe } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { JobKind, JobRun, NewJob } from '../../jobs/job.ts';
import { JobFailure } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Log } from '../../log.ts';
import type { Ffmpeg } from '../../media/ffmpeg/ffmpeg.ts';
import { FfmpegFailure } from '../../media/ffmpeg/ffmpeg.ts';
import type { PosterAttempt } from '../../media/ffmpeg/poster.ts';
import { makePoster, posterless, posterTime } from '../../media/ffmpeg/poster.ts';
import type { DerivedFiles } from '../../storage/derived-files.ts';
import { startBytes } from '../../storage/remote-start.ts';
import type { PosterCandidate, PosterlessVideo } from './poster-repository.ts';
import { posterRepository } from './poster-repository.ts';
import type { SourceFiles } from './source-files.ts';
import type { StillAsker, StoredStill } from './stills.ts';
import { findSeen } from './stills.ts';
import { videoRepository } from './video-repository.ts';

interface PosterDeps extends PosterTools {
  restrictedTags: RestrictedTags;
  queue: JobQueue;
}

/**
 * The still images of videos: made by jobs, stored as files, and shown until the file of the video
 * changes.
 */
export interface Posters {
  /**
   * Registers the poster jobs with the queue; without ffmpeg on any node there are no
   * posters.
   */
  open(): Promise<void>;
  /** Queues every video without a poster. A call during a search starts another search after it. */
  queueMissing(): Promise<void>;
  /**
   * Reads a poster. Returns null when there is none, or when the caller may not see the video. A
   * poster whose file is missing is queued again, before all others.
   */
  read(videoId: string, asker: StillAsker): Promise<StoredStill | null>;
  /** Removes a poster by its content, unless a video uses it. */
  discard(content: string): Promise<void>;
  /** Queues the removal of posters that no video uses. */
  queueCleanUp(): Promise<void>;
  /** Deletes all posters; `queueMissing` makes them again. */
  clear(): Promise<void>;
  /** Ends a search in progress. */
  stop(): Promise<void>;
}

const backgroundPriority = 100;
/** The priority of a poster that a client has requested. */
const wantedPriority = 10;

/**
 * Videos read in one query, so that neither the database nor the event loop is blocked for long.
 */
const sliceLength = 250;

export function createPosters(deps: PosterDeps): Posters {
  const { database, idSets, clock, log, queue, ffmpeg, files } = deps;
  const ending = new AbortController();
  let looking: Promise<void> | null = null;
  let isLookWanted = false;

  async function lookThrough(): Promise<void> {
    try {
      while (isLookWanted && !ending.signal.aborted) {
        isLookWanted = false;
        await queuePosterless(deps, ending.signal);
      }
    } catch (error) {
      log.warn({ err: error }, 'videos without a poster could not be queued; the next scan tries again');
    }
  }

  return {
    async open() {
      const canMake = queue.runsHere && (await ffmpeg.locate()) !== null;
      // A node without ffmpeg queues for those that have one.
      for (const kind of posterKinds(deps)) queue.register({ ...kind, isOffered: () => canMake });
      if (canMake) await queue.add([cleanUpJob]);
    },

    queueMissing() {
      if (!queue.canBeDone(posterKind)) return Promise.resolve();
      isLookWanted = true;
      looking ??= lookThrough().finally(() => {
        looking = null;
      });
      return looking;
    },

    async read(videoId, asker) {
      const seen = await findSeen(deps, videoId, asker);
      if (seen === null) return null;
      const { video, isForSome } = seen;
      const content = await posterRepository.find(database.reader, video);
      if (content === null) return null;
      const webp = await files.read(content, '.webp');
      if (webp !== null) return { content, webp, isForSome };
      await idSets.write(
        (transaction, changes) => posterRepository.forget(transaction, changes, video.number),
        posterOf(video.number),
      );
      if (queue.canBeDone(posterKind))
        await queue.add([toPosterJob({ ...video, modified_us: video.modifiedUs }, wantedPriority)]);
      return null;
    },

    async discard(content) {
      const used = await posterRepository.findUsedContents(database.reader, [content]);
      if (!used.has(content)) await files.remove(content, '.webp');
    },

    async queueCleanUp() {
      if (queue.canBeDone(posterKind)) await queue.add([cleanUpJob]);
    },

    async clear() {
      for (let after: number | null = 0; after !== null; ) {
        const from: number = after;
        after = await idSets.write((transaction, changes) =>
          posterRepository.forgetMany(transaction, changes, from, sliceLength),
        );
        await breathe();
      }
      await files.sweep(clock.now(), (contents) => posterRepository.findUsedContents(database.reader, contents));
    },

    async stop() {
      ending.abort();
      await looking;
    },
  };
}

async function queuePosterless({ database, queue }: PosterDeps, signal: AbortSignal): Promise<void> {
  const last = await videoRepository.readLastNumber(database.reader);
  // Newest first, so that new videos get their posters soonest.
  for (let upTo = last; upTo > 0 && !signal.aborted; upTo -= sliceLength) {
    const videos = await posterRepository.listPosterless(database.reader, upTo - sliceLength, upTo);
    await queue.add(videos.reverse().map((video) => toPosterJob(video, backgroundPriority)));
    await breathe();
  }
}

export interface PosterTools {
  database: Database;
  idSets: Pick<IdSets, 'write'>;
  sweepTime: SweepTime;
  clock: Clock;
  log: Log;
  ffmpeg: Ffmpeg;
  sources: Pick<SourceFiles, 'openScanned' | 'openStart'>;
  files: DerivedFiles;
}

const posterKind = 'poster';
const cleanUpKind = 'poster-clean-up';
/** The first attempt and two more. */
const attemptsMax = 3;
const strayAfterMs = 3_600_000;

/** The job that removes files which no video uses any more. */
const cleanUpJob: NewJob = { kind: cleanUpKind, subject: 'all' };

/** The job that makes the poster of the present file of a video. */
function toPosterJob({ number, id, size, modified_us }: PosterlessVideo, priority: number): NewJob {
  return {
    kind: posterKind,
    subject: id,
    videoNumber: number,
    payload: { size, modified_us } satisfies FileVersion,
    priority,
  };
}

const fileVersionSchema = z.object({ size: z.number(), modified_us: z.number() });
/** The version of the file that a poster is made of. */
type FileVersion = z.infer<typeof fileVersionSchema>;

export function posterKinds(deps: PosterTools): JobKind[] {
  return [posterJobs(deps), { kind: cleanUpKind, lane: 'light', attemptsMax, run: () => removeStrayPosters(deps) }];
}

function posterJobs(deps: PosterTools): JobKind {
  return {
    kind: posterKind,
    lane: 'media',
    attemptsMax,
    run: (run) => runPosterJob(deps, run),
    async gaveUp({ videoNumber, payload }, error) {
      const version = fileVersionSchema.safeParse(payload);
      if (videoNumber !== null && version.success)
        await storePoster(deps, { number: videoNumber, ...version.data }, { content: null, reason: error });
    },
  };
}

async function runPosterJob(deps: PosterTools, { job, signal }: JobRun): Promise<void> {
  const video = await posterRepository.findCandidate(deps.database.reader, job.videoNumber ?? 0);
  // The video is gone or no longer a candidate.
  if (video === null) return;
  // A job of another node, which searched at the same time, has made this poster.
  if ((await posterRepository.find(deps.database.reader, video)) !== null) return;
  const attempt = (await attemptFromStart(deps, video, signal)) ?? (await attemptFromFile(deps, video, signal));
  // The next scan notices what happened to the file.
  if (attempt === null) return;
  signal.throwIfAborted();
  if (attempt.kind === 'none') throw new JobFailure(posterless[attempt.reason], { isFinal: true });
  const { content } = await deps.files.put(attempt.webp, '.webp');
  await storePoster(
    deps,
    { number: video.number, size: video.size, modified_us: video.modifiedUs },
    { content, reason: null },
  );
}

/** Null unless the first bytes of a file in a store give the picture. */
async function attemptFromStart(
  { ffmpeg, sources }: PosterTools,
  video: PosterCandidate,
  signal: AbortSignal,
): Promise<PosterAttempt | null> {
  const { size, durationMs } = video;
  const bytes = startBytes(size, posterTime(durationMs) * 1_000, durationMs);
  await using file = bytes === null ? null : await sources.openStart(video, bytes, signal);
  if (file === null) return null;
  const source = { ...video, file: file.handle, isStart: true };
  const attempt = await makePoster(ffmpeg, source, signal).catch((error: unknown) => {
    if (error instanceof FfmpegFailure) return null;
    throw error;
  });
  return attempt?.kind === 'made' ? attempt : null;
}

/** Null if the file is not the scanned one any more. */
async function attemptFromFile(
  { ffmpeg, log, sources }: PosterTools,
  video: PosterCandidate,
  signal: AbortSignal,
): Promise<PosterAttempt | null> {
  await using file = await sources.openScanned(video, signal);
  if (file === null) return null;
  try {
    return await makePoster(ffmpeg, { ...video, file: file.handle }, signal);
  } catch (error) {
    if (!(error instanceof FfmpegFailure) || error.fault === 'no_ffmpeg') throw error;
    log.info({ video: video.id, fault: error.fault }, 'no poster could be made');
    throw new JobFailure(posterless[error.fault], { isFinal: error.fault === 'not_a_video' });
  }
}

async function storePoster(
  deps: PosterTools,
  version: FileVersion & { number: number },
  outcome: { content: string | null; reason: string | null },
): Promise<void> {
  const { number, ...facts } = version;
  const row = { video_number: number, ...facts, ...outcome, made_at: deps.clock.now() };
  const unused = await deps.idSets.write(
    (transaction, changes) => posterRepository.put(transaction, changes, row),
    posterOf(number),
  );
  if (unused !== null) await deps.files.remove(unused, '.webp');
}

/** The key under which the poster of a video changes beside others. */
function posterOf(videoNumber: number): string {
  return `poster of ${videoNumber}`;
}

async function removeStrayPosters({ files, sweepTime, database }: PosterTools): Promise<void> {
  await files.sweep((await sweepTime.read()) - strayAfterMs, (contents) =>
    posterRepository.findUsedContents(database.reader, contents),
  );
}
