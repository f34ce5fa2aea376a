import type { Processing } from '#contract/entities/video.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { encodingRepository, withDefaultAudio } from '../videos/encoding-repository.ts';
import { readAudioTracks, subtitleRepository } from '../videos/subtitle-repository.ts';
import type { EncodableVideo } from './encodable-repository.ts';
import { encodableRepository } from './encodable-repository.ts';
import { toAudioJob, toEncodeJob } from './encode-order.ts';
import { isInspected, toInspectJob } from './encoding-jobs.ts';
import { processingRepository } from './processing-repository.ts';

/** An answer is reused for this long: a page asks every few seconds, for each of its quadrants. */
const answeredMs = 2_000;
const noteEveryMs = 60_000;
const maxRemembered = 1_000;
/** At most this many jobs are queued, even for videos that somebody waits for. */
const maxActive = 200;
/** No job is added for a video to keep while this many videos are waited for: viewers go first. */
const maxAwaitedToKeep = 20;
/** At most this many audio tracks are queued: whoever has chosen one sees the video meanwhile. */
const maxChosenTracks = 20;

/** A viewer sees 'preparing' and waits, or wants to keep the video on a device. */
export type EncodingUse = 'watch' | 'keep';

interface Answer {
  processing: Processing | null;
  /** Measured by `clock.elapsed()`. */
  answeredAt: number;
  notedAt: number;
}

/** Videos that viewers wait for; they are encoded before all others. */
export class Waiting {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly queue: JobQueue;
  private readonly answers = new Map<number, Answer>();

  constructor(database: Database, clock: Clock, queue: JobQueue) {
    this.database = database;
    this.clock = clock;
    this.queue = queue;
  }

  /**
   * Returns null when nothing can make the video playable.
   * @param use what the viewer wants it for
   */
  async want(videoNumber: number, use: EncodingUse): Promise<Processing | null> {
    const now = this.clock.elapsed();
    const known = this.answers.get(videoNumber);
    if (known !== undefined && now - known.answeredAt < answeredMs) return known.processing;
    const isNoted = known !== undefined && now - known.notedAt < noteEveryMs;
    const processing = await this.find(videoNumber, use, isNoted);
    if (this.answers.size >= maxRemembered) this.answers.clear();
    this.answers.set(videoNumber, { processing, answeredAt: now, notedAt: isNoted ? known.notedAt : now });
    return processing;
  }

  /** Returns null when nothing will be found, or was found already. */
  async inspect(videoNumber: number): Promise<Processing | null> {
    const { database, queue } = this;
    const video = await encodableRepository.find(database.reader, videoNumber);
    if (video === null || (await isInspected(database.reader, video))) return null;
    if ((await processingRepository.countActive(database.reader, 'media', null)) >= maxActive) return null;
    await queue.add([toInspectJob(video)]);
    return { state: 'queued', progress: 0 };
  }

  /**
   * A viewer has chosen another audio track. Returns null when the file has no such track, or when
   * nothing can make an encoding with it.
   */
  async wantAudio(videoNumber: number, track: number): Promise<Processing | null> {
    const { reader } = this.database;
    const video = await encodableRepository.find(reader, videoNumber);
    const notes = video && (await subtitleRepository.findNotes(reader, video));
    const chosen = notes && readAudioTracks(notes).find((known) => known.track === track && !known.isDefault);
    if (!video || !chosen) return null;
    const job = toAudioJob(video, chosen);
    const processing = await processingRepository.findAudio(reader, videoNumber, job.subject);
    if (processing === null && (await processingRepository.countAwaited(reader, 'chosen')) < maxChosenTracks)
      await this.queue.add([job]);
    return processing ?? { state: 'queued', progress: 0 };
  }

  private async find(videoNumber: number, use: EncodingUse, isNoted: boolean): Promise<Processing | null> {
    const { reader } = this.database;
    const video = await encodableRepository.find(reader, videoNumber);
    if (video === null || (await encodableRepository.findFailure(reader, video)) !== null) return null;
    // The encoding was finished after the caller had been told that there is none.
    if (withDefaultAudio(await encodingRepository.find(reader, video)).length > 0)
      return { state: 'running', progress: 100 };
    const processing = (await processingRepository.list(reader, [videoNumber])).get(videoNumber);
    if ((processing === undefined || !isNoted) && (await this.hasPlace(use, processing !== undefined)))
      await this.queueEncoding(video);
    return processing ?? { state: 'queued', progress: 0 };
  }

  /** @param isQueued the video has a job, which would only run earlier */
  private async hasPlace(use: EncodingUse, isQueued: boolean): Promise<boolean> {
    const { reader } = this.database;
    if (use === 'keep' && (await processingRepository.countAwaited(reader)) >= maxAwaitedToKeep) return false;
    return isQueued || (await processingRepository.countActive(reader, 'encode', null)) < maxActive;
  }

  private async queueEncoding(video: EncodableVideo): Promise<void> {
    const { database, clock, queue } = this;
    await database.write(async (transaction) => {
      await queue.addWithin(transaction, [toEncodeJob(video, 'waiting')]);
      await encodableRepository.noteWaiting(transaction, video.number, clock.now());
    });
    queue.wake();
  }
}

/**
 * How often videos were picked whose source is larger than needed; kept in memory and written every
 * minute.
 */
export class Demand {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly picks = new PickCounts();

  constructor(database: Database, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  count(videoNumber: number): void {
    this.picks.add(videoNumber);
  }

  /** Counts that cannot be written are lost; they are only a hint. */
  async write(): Promise<void> {
    const picks = this.picks.take();
    const now = this.clock.now();
    await this.database.write(async (transaction) => {
      await encodableRepository.addPicks(transaction, picks, now);
      await encodableRepository.halvePicks(transaction, now);
    });
  }
}

/**
 * At most this many videos are counted; a video picked once among so many is not worth encoding.
 */
const maxCounted = 5_000;

/** The number of picks by video number, in memory of this process. */
export class PickCounts {
  private counts = new Map<number, number>();

  add(videoNumber: number): void {
    const count = this.counts.get(videoNumber);
    if (count !== undefined || this.counts.size < maxCounted) this.counts.set(videoNumber, (count ?? 0) + 1);
  }

  /** Video numbers, the most picked first. */
  most(limit: number): number[] {
    return [...this.counts]
      .sort(([, one], [, other]) => other - one)
      .slice(0, limit)
      .map(([number]) => number);
  }

  remove(videoNumber: number): void {
    this.counts.delete(videoNumber);
  }

  /** Returns all counts and starts counting anew. */
  take(): ReadonlyMap<number, number> {
    const counts = this.counts;
    this.counts = new Map();
    return counts;
  }
}

const rememberedMs = 24 * 3_600_000;

/**
 * The needs that devices lacked in the last 24 hours when they asked for a video; in memory of this
 * process only.
 */
export class LackedNeeds {
  private readonly clock: Clock;
  /** Times by index in `mediaNeeds`, measured by `clock.elapsed()`. */
  private readonly notedAt = new Map<number, number>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** @param places indexes in `mediaNeeds` */
  note(places: readonly number[]): void {
    for (const place of places) this.notedAt.set(place, this.clock.elapsed());
  }

  /** Indexes in `mediaNeeds`. */
  list(): number[] {
    const since = this.clock.elapsed() - rememberedMs;
    return [...this.notedAt].filter(([, notedAt]) => notedAt > since).map(([place]) => place);
  }

  forget(): void {
    this.notedAt.clear();
  }
}
