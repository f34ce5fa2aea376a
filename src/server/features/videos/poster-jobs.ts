import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { JobKind, JobRun, NewJob } from '../../jobs/job.ts';
import { JobFailure } from '../../jobs/job.ts';
import type { Log } from '../../log.ts';
import type { Ffmpeg } from '../../media/ffmpeg/ffmpeg.ts';
import { FfmpegFailure } from '../../media/ffmpeg/ffmpeg.ts';
import type { PosterAttempt } from '../../media/ffmpeg/poster.ts';
import { makePoster, posterless } from '../../media/ffmpeg/poster.ts';
import type { ContentFiles } from '../../storage/content-files.ts';
import { openScannedFile } from './open-scanned-file.ts';
import type { PathResolver } from './path-resolver.ts';
import type { PosterCandidate, PosterlessVideo } from './poster-repository.ts';
import { findPoster, findPosterCandidate, findUsedContents, putPoster } from './poster-repository.ts';

export interface PosterTools {
  database: Database;
  sweepTime: SweepTime;
  clock: Clock;
  log: Log;
  ffmpeg: Ffmpeg;
  places: PathResolver;
  files: ContentFiles;
}

export const posterKind = 'poster';
const cleanUpKind = 'poster-clean-up';
/** Three attempts: the first and two more. */
const attemptsMax = 3;
const strayAfterMs = 3_600_000;

/** The job that looks for files which no video uses any more. */
export const cleanUpJob: NewJob = { kind: cleanUpKind, subject: 'all' };

/** The job that makes the poster of a video as its file is now. */
export function toPosterJob({ number, id, size, modified_us }: PosterlessVideo, priority: number): NewJob {
  return {
    kind: posterKind,
    subject: id,
    videoNumber: number,
    payload: { size, modified_us } satisfies FileVersion,
    priority,
  };
}

const fileVersionSchema = z.object({ size: z.number(), modified_us: z.number() });
/** The file that a poster is made of. */
type FileVersion = z.infer<typeof fileVersionSchema>;

export function posterKinds(deps: PosterTools): JobKind[] {
  return [posterJobs(deps), { kind: cleanUpKind, lane: 'light', attemptsMax, run: () => removeStrays(deps) }];
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
        await store(deps, { number: videoNumber, ...version.data }, { content: null, reason: error });
    },
  };
}

async function runPosterJob(deps: PosterTools, { job, signal }: JobRun): Promise<void> {
  const video = await findPosterCandidate(deps.database.reader, job.videoNumber ?? 0);
  // Gone, or found to be something else meanwhile: there is nothing left to do.
  if (video === null) return;
  // Another node looked for missing posters at the same time, and its job has made this one.
  if ((await findPoster(deps.database.reader, video)) !== null) return;
  const file = await openScannedFile(deps.places, video);
  // The next scan sees what has become of it.
  if (file === null) return;
  const attempt = await attemptPoster(deps, video, file, signal).finally(() => file.close());
  signal.throwIfAborted();
  if (attempt.kind === 'none') throw new JobFailure(posterless[attempt.reason], { isFinal: true });
  const content = await deps.files.put(attempt.webp);
  await store(
    deps,
    { number: video.number, size: video.size, modified_us: video.modifiedUs },
    { content, reason: null },
  );
}

async function attemptPoster(
  { ffmpeg, log }: PosterTools,
  video: PosterCandidate,
  file: FileHandle,
  signal: AbortSignal,
): Promise<PosterAttempt> {
  try {
    return await makePoster(ffmpeg, { file, durationMs: video.durationMs, videoCodec: video.videoCodec }, signal);
  } catch (error) {
    if (!(error instanceof FfmpegFailure) || error.fault === 'no_ffmpeg') throw error;
    log.info({ video: video.id, fault: error.fault }, 'no poster could be made');
    throw new JobFailure(posterless[error.fault], { isFinal: error.fault === 'not_a_video' });
  }
}

async function store(
  deps: PosterTools,
  version: FileVersion & { number: number },
  outcome: { content: string | null; reason: string | null },
): Promise<void> {
  const { number, ...facts } = version;
  const row = { video_number: number, ...facts, ...outcome, made_at: deps.clock.now() };
  const unused = await deps.database.write((transaction) => putPoster(transaction, row));
  if (unused !== null) await deps.files.remove(unused);
}

async function removeStrays({ files, sweepTime, database }: PosterTools): Promise<void> {
  await files.sweep((await sweepTime.read()) - strayAfterMs, (contents) => findUsedContents(database.reader, contents));
}
