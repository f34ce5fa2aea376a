import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { JobKind, JobRun, NewJob, StoredJob } from '../../jobs/job.ts';
import { JobFailure, JobPostponed } from '../../jobs/job.ts';
import type { Log } from '../../log.ts';
import type { Encoded, EncodeOrder, Encoder } from '../../media/encode/encoder.ts';
import type { FfmpegFault } from '../../media/ffmpeg/ffmpeg.ts';
import { FfmpegFailure } from '../../media/ffmpeg/ffmpeg.ts';
import { unplayable } from '../../media/unplayable.ts';
import { isDiskFull } from '../../storage/disk-space.ts';
import { encodingRepository, withDefaultAudio } from '../videos/encoding-repository.ts';
import type { SourceFiles } from '../videos/source-files.ts';
import type { FileOfVideo, LibraryVideo } from '../videos/video.ts';
import type { Budget, FullDisk } from './budget.ts';
import type { EncodableVideo } from './encodable-repository.ts';
import { encodableRepository } from './encodable-repository.ts';
import type { EncodeReason } from './encode-order.ts';
import {
  audioKind,
  encodeKind,
  estimateBytes,
  isForFreeRoom,
  readAudioPayload,
  readPayload,
  renditionsToMake,
  toFileJob,
} from './encode-order.ts';
import type { StoreDeps } from './encoded-files.ts';
import { storeAudio, storeEncoded, storeFailure } from './encoded-files.ts';
import type { Room } from './room.ts';
import type { RunningEncodings } from './running-encodings.ts';

export interface EncodingJobDeps extends StoreDeps {
  database: Database;
  clock: Clock;
  log: Log;
  encoder: Encoder;
  sources: Pick<SourceFiles, 'openScanned'>;
  room: Pick<Room, 'discard' | 'make'>;
  budget: Budget;
  fullDisk: FullDisk;
  running: RunningEncodings;
  /** How long an encoding may run ahead of others; 4 hours by default. */
  betweenMs?: number;
  /** Called when the lane is about to be free. */
  onEnd(job: StoredJob): Promise<void>;
}

const attemptsMax = 3;
/**
 * A file may be far longer than it claims: after this time it goes on in the lane where nobody
 * waits behind it.
 */
const usualBetweenMs = 4 * 3_600_000;
/** After this time a viewer no longer counts as waiting. */
const waitingMs = 3_600_000;
/** The delay when there is no room and nothing may be removed to make it. */
const noRoomDelayMs = 10 * 60_000;
const mebibyte = 1024 * 1024;
/** A copy takes seconds, and is as large as its source. */
const copyFor = { waiting: 'alone', unplayable: 'beside', lacking: 'alone', popular: 'none' } as const;

export function encodingKind(deps: EncodingJobDeps): JobKind {
  return {
    kind: encodeKind,
    lane: 'encode',
    otherLane: 'between',
    attemptsMax,
    async run(run) {
      try {
        await runEncoding(deps, run);
      } finally {
        await deps.onEnd(run.job);
      }
    },
    gaveUp: (job, error) => noteFailure(deps, job, error),
  };
}

async function runEncoding(deps: EncodingJobDeps, run: JobRun): Promise<void> {
  const { reader } = deps.database;
  const video = await encodableRepository.find(reader, run.job.videoNumber ?? 0);
  // The video is gone or hidden, or its file has changed: the scan that noticed has queued what is
  // needed.
  if (video === null || !isOfJob(video, run.job)) return;
  const existing = withDefaultAudio(await encodingRepository.find(reader, video)).map(({ rendition }) => rendition);
  const reason = existing.length > 0 ? 'popular' : await findReason(deps, video, run.job);
  const wanted = renditionsToMake(video, reason, existing);
  if (wanted.length === 0) return;
  const renditions = await fitRenditions(deps, video, wanted, reason);
  const bytes = estimateBytes(video, renditions, reason);
  if (isForFreeRoom(reason) && !(await deps.room.make(bytes, reason))) return;
  await requireRoom(deps, bytes, reason);
  await using file = await deps.sources.openScanned(video, run.signal);
  // The next scan notices what happened to the file.
  if (file === null) return;
  const { durationMs } = video;
  const order = {
    file: file.handle,
    renditions,
    copy: copyFor[reason],
    durationMs,
    maxBytes: 2 * bytes + 16 * mebibyte,
  };
  await encode(deps, run, order, (encoded, signal) => storeEncoded(deps, video, encoded, signal));
}

/** The job that encodes a video with the audio track that a viewer has chosen. */
export function audioEncodingKind(deps: EncodingJobDeps): JobKind {
  return {
    kind: audioKind,
    lane: 'encode',
    otherLane: 'between',
    attemptsMax,
    async run(run) {
      try {
        await runAudioEncoding(deps, run);
      } finally {
        await deps.onEnd(run.job);
      }
    },
  };
}

async function runAudioEncoding(deps: EncodingJobDeps, run: JobRun): Promise<void> {
  const { reader } = deps.database;
  const video = await encodableRepository.find(reader, run.job.videoNumber ?? 0);
  const chosen = readAudioPayload(run.job.payload);
  if (video === null || chosen === null || !isOfJob(video, run.job)) return;
  const encodings = await encodingRepository.find(reader, video);
  if (encodings.some(({ audio }) => audio?.track === chosen.track)) return;
  const renditions = renditionsToMake(video, 'waiting', []);
  const bytes = estimateBytes(video, renditions, 'waiting');
  await requireRoom(deps, bytes, 'waiting');
  await using file = await deps.sources.openScanned(video, run.signal);
  if (file === null) return;
  const hasGrid = withDefaultAudio(encodings).some(({ rendition }) => rendition === 'grid');
  // Viewers who are limited to `grid` get one with this track, too.
  const copy = hasGrid ? ('beside' as const) : ('alone' as const);
  const { durationMs } = video;
  const { track: audioTrack } = chosen;
  const order = { file: file.handle, renditions, copy, audioTrack, durationMs, maxBytes: 2 * bytes + 16 * mebibyte };
  await encode(deps, run, order, (encoded, signal) => storeAudio(deps, video, { encoded, chosen, signal }));
}

/** Whether the file is still the version that the job was queued for. */
function isOfJob({ size, modifiedUs }: EncodableVideo, { payload }: StoredJob): boolean {
  const file = readPayload(payload);
  return file?.size === size && file.modified_us === modifiedUs;
}

async function findReason(deps: EncodingJobDeps, video: EncodableVideo, { payload }: StoredJob): Promise<EncodeReason> {
  const waitedAt = await encodableRepository.readWaitedAt(deps.database.reader, video.number);
  if (waitedAt !== null && waitedAt > deps.clock.now() - waitingMs) return 'waiting';
  if (!video.isSourcePlayable) return 'unplayable';
  const isLacked = readPayload(payload)?.is_lacked === true;
  return isLacked && (await isRoomForLacking(deps, video)) ? 'lacking' : 'popular';
}

/** Whether all renditions fit. If they do not, the smallest one makes the video playable too. */
async function isRoomForLacking({ room }: EncodingJobDeps, video: EncodableVideo): Promise<boolean> {
  return room.make(estimateBytes(video, renditionsToMake(video, 'lacking', []), 'lacking'), 'lacking');
}

/** Keeps only `grid` when there is no room for all renditions: it is playable too. */
async function fitRenditions(
  { room }: EncodingJobDeps,
  video: EncodableVideo,
  wanted: ReturnType<typeof renditionsToMake>,
  reason: EncodeReason,
): Promise<typeof wanted> {
  const isRoom = await room.make(estimateBytes(video, wanted, reason), reason);
  return isRoom || !wanted.includes('grid') ? wanted : ['grid'];
}

/** @throws JobPostponed while there is no room, and while the disk is full */
async function requireRoom(
  { room, budget, fullDisk }: Pick<EncodingJobDeps, 'room' | 'budget' | 'fullDisk'>,
  bytes: number,
  reason: EncodeReason,
): Promise<void> {
  if (fullDisk.waitMs > 0) throw new JobPostponed(fullDisk.waitMs);
  if (!(await room.make(bytes, reason))) throw new JobPostponed(noRoomDelayMs);
  if ((await budget.writableBytes()) < bytes) throw new JobPostponed(fullDisk.note());
}

/** @throws JobPostponed to the other lane when it takes too long for the one between */
async function encode(
  deps: EncodingJobDeps,
  run: JobRun,
  order: Omit<EncodeOrder, 'precedence' | 'signal' | 'report'>,
  store: (encoded: Encoded, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { running, encoder, fullDisk, betweenMs = usualBetweenMs } = deps;
  const limit = run.job.lane === 'between' ? AbortSignal.timeout(betweenMs) : null;
  const signal = limit === null ? run.signal : AbortSignal.any([run.signal, limit]);
  const precedence = limit === null ? 'yields' : 'first';
  try {
    await running.during(run.job.videoNumber ?? 0, run, (report) =>
      encoder.encode({ ...order, precedence, signal, report }, (encoded) => store(encoded, signal)),
    );
    fullDisk.forget();
  } catch (error) {
    run.signal.throwIfAborted();
    if (limit?.aborted) throw new JobPostponed(0, 'encode');
    throw toJobEnd(error, fullDisk);
  }
}

/** Stores the failure: the video is not tried again until its file changes. */
async function noteFailure({ database, clock, log }: EncodingJobDeps, job: StoredJob, error: string): Promise<void> {
  const file = readPayload(job.payload);
  const { videoNumber } = job;
  if (file === null || videoNumber === null) return;
  const { size, modified_us } = file;
  log.info({ video: videoNumber, reason: error }, 'a video cannot be encoded');
  await database.write((transaction) =>
    storeFailure(transaction, { video_number: videoNumber, size, modified_us }, error, clock.now()),
  );
}

const inspectKind = 'inspect';
/** Inspections run before posters that nobody has requested. */
const inspectPriority = 20;

type InspectionDeps = Omit<EncodingJobDeps, 'onEnd' | 'running'>;

/** The job that reads the contents of a file: subtitles, notes, and a storyboard. */
export function toInspectJob(video: FileOfVideo & Pick<LibraryVideo, 'id'>): NewJob {
  return { ...toFileJob(video, 'waiting'), kind: inspectKind, priority: inspectPriority };
}

/** An inspection takes a moment, and does not wait for encodings. */
export function inspectionKind(deps: InspectionDeps): JobKind {
  return {
    kind: inspectKind,
    lane: 'media',
    attemptsMax,
    run: (run) => runInspection(deps, run),
    gaveUp: (job) => noteNothing(deps, job),
  };
}

async function runInspection(deps: InspectionDeps, { job, signal, report }: JobRun): Promise<void> {
  const { reader } = deps.database;
  const video = await encodableRepository.find(reader, job.videoNumber ?? 0);
  if (video === null || !isOfJob(video, job) || (await isInspected(reader, video))) return;
  const maxBytes = estimateBytes(video, [], 'popular');
  await requireRoom(deps, maxBytes, 'waiting');
  await using file = await deps.sources.openScanned(video, signal);
  if (file === null) return;
  const order = {
    file: file.handle,
    renditions: [],
    copy: 'none',
    durationMs: video.durationMs,
    maxBytes,
    signal,
    report,
  } as const;
  try {
    await deps.encoder.encode(order, (encoded) => storeEncoded(deps, video, encoded, signal));
  } catch (error) {
    signal.throwIfAborted();
    throw toJobEnd(error, deps.fullDisk);
  }
}

/** Whether the present file of the video has been inspected. */
export async function isInspected(executor: Executor, { number, size, modifiedUs }: FileOfVideo): Promise<boolean> {
  const row = await executor
    .selectFrom('media_findings')
    .select('video_number')
    .where('video_number', '=', number)
    .where('size', '=', size)
    .where('modified_us', '=', modifiedUs)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Stores an empty finding, so that the file is not inspected again. A failed inspection says
 * nothing about encodings of the file.
 */
async function noteNothing({ database, clock }: InspectionDeps, { videoNumber, payload }: StoredJob): Promise<void> {
  const file = readPayload(payload);
  if (file === null || videoNumber === null) return;
  const { size, modified_us } = file;
  const facts = { size, modified_us, failure: null, notes: '[]', found_at: clock.now() };
  await database.write((transaction) =>
    transaction
      .insertInto('media_findings')
      .values({ video_number: videoNumber, ...facts })
      .onConflict((conflict) => conflict.column('video_number').doNothing())
      .execute(),
  );
}

/** Why a video cannot be made playable, as sentences for a person. */
const sentences = {
  not_a_video: unplayable.not_a_video,
  no_picture: unplayable.no_picture,
  unreadable: unplayable.damaged,
  output: 'This video gives far more than its length explains, and cannot be converted.',
  time: 'Converting this video took too long.',
  memory: 'Converting this video took too much memory.',
  crashed: 'This video cannot be converted: ffmpeg crashes on it.',
} as const satisfies Partial<Record<FfmpegFault, string>>;

/** Faults that another attempt would only repeat. */
const isFinal: ReadonlySet<FfmpegFault> = new Set(['not_a_video', 'no_picture']);

/** The delay while ffmpeg is missing or cannot be started, which says nothing about the video. */
const missingDelayMs = 10 * 60_000;

/** Translates an error into the end of its job. */
function toJobEnd(error: unknown, fullDisk: FullDisk): unknown {
  if (isDiskFull(error) || (error instanceof FfmpegFailure && error.fault === 'disk_full'))
    return new JobPostponed(fullDisk.note());
  if (!(error instanceof FfmpegFailure)) return error;
  const sentence = Object.entries(sentences).find(([fault]) => fault === error.fault)?.[1];
  if (sentence === undefined) return new JobPostponed(missingDelayMs);
  return new JobFailure(sentence, { isFinal: isFinal.has(error.fault) });
}
