import { setImmediate as breathe } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { inListLength } from '../../database/dialect.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Log } from '../../log.ts';
import type { SourceFiles } from '../videos/source-files.ts';
import { videoRepository } from '../videos/video-repository.ts';
import type { Budget, FullDisk } from './budget.ts';
import type { LackedNeeds } from './demand.ts';
import { PickCounts } from './demand.ts';
import type { EncodableVideo, PopularVideo } from './encodable-repository.ts';
import { encodableRepository } from './encodable-repository.ts';
import { estimateBytes, estimateRendition, renditionsToMake, toEncodeJob } from './encode-order.ts';
import { processingRepository } from './processing-repository.ts';
import type { Room } from './room.ts';

export interface PlannerDeps extends UnplayableDeps, Omit<LackingDeps, 'queue' | 'lacked'> {
  log: Log;
  room: Pick<Room, 'roomForUnplayable' | 'freeBytes'>;
  budget: Budget;
  fullDisk: FullDisk;
  lacked: LackedNeeds;
}

/** The one that saves most is chosen among this many of the most picked videos. */
const maxCandidates = 50;

/** Decides what is encoded next while no viewer waits. */
export class EncodingPlanner {
  private readonly deps: PlannerDeps;
  private readonly lacking: LackingQueue;
  private readonly silent: SilentQueue;
  private readonly ending = new AbortController();
  private looking: Promise<void> | null = null;
  private isLookWanted = false;
  /**
   * The video number at which the search for unplayable videos goes on; null when there is none in
   * progress.
   */
  private nextUnplayable: number | null = null;
  /** Videos that this process has queued once: an unexpected failure is not retried for ever. */
  private readonly tried = new Set<number>();

  constructor(deps: PlannerDeps) {
    this.deps = deps;
    this.lacking = new LackingQueue(deps);
    this.silent = new SilentQueue(deps);
  }

  /** A call during a search starts another search after it. */
  queueUnplayable(): Promise<void> {
    this.isLookWanted = true;
    this.looking ??= this.lookThrough().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  /** A device was given a video of which it plays the picture only. */
  countSilent(videoNumber: number): void {
    this.silent.count(videoNumber);
  }

  /** @param exceptId a job that is about to end */
  async plan(exceptId: string | null): Promise<void> {
    const { database, fullDisk, room, budget } = this.deps;
    if (this.ending.signal.aborted || fullDisk.waitMs > 0) return;
    if ((await processingRepository.countActive(database.reader, 'encode', exceptId)) > 0) return;
    if (this.nextUnplayable !== null)
      this.nextUnplayable = await queueUnplayable(this.deps, this.nextUnplayable, this.ending.signal);
    if ((await processingRepository.countActive(database.reader, 'encode', exceptId)) > 0) return;
    const freeBytes = Math.min(await room.freeBytes(), await budget.writableBytes());
    if (await this.lacking.queueNext(freeBytes, this.ending.signal)) return;
    if (!(await this.silent.queueNext(freeBytes))) await this.queuePopular(freeBytes);
  }

  /** Queues nothing more until it is asked to. */
  forget(): void {
    this.nextUnplayable = null;
    this.deps.lacked.forget();
    this.lacking.forget();
    this.silent.forget();
  }

  async stop(): Promise<void> {
    this.ending.abort();
    await this.looking;
  }

  private async lookThrough(): Promise<void> {
    try {
      while (this.isLookWanted && !this.ending.signal.aborted) {
        this.isLookWanted = false;
        this.nextUnplayable = await queueUnplayable(this.deps, null, this.ending.signal);
      }
    } catch (error) {
      this.deps.log.warn({ err: error }, 'videos that nothing plays could not be queued; the next scan tries again');
    }
  }

  private async queuePopular(freeBytes: number): Promise<void> {
    const { database, queue, sources } = this.deps;
    const videos = (await encodableRepository.listPopular(database.reader, maxCandidates)).filter(
      (video) => !this.tried.has(video.number) && sources.isLocal(video),
    );
    if (videos.length === 0) return;
    const video = choosePopular(videos, freeBytes);
    if (video === null) return;
    this.tried.add(video.number);
    await queue.add([toEncodeJob(video, 'popular')]);
  }
}

interface UnplayableDeps {
  database: Database;
  clock: Clock;
  queue: JobQueue;
  room: Pick<Room, 'roomForUnplayable'>;
}

/**
 * Videos read in one query, so that neither the database nor the event loop is blocked for long.
 */
const sliceLength = 250;
/** At most this many videos are queued at a time: enough until the lane is checked again. */
const maxQueued = 100;
/** How long an upload counts as new. */
const freshMs = 3_600_000;

/**
 * Queues the videos whose source plays nowhere, newest first, as far as there is room.
 * @param from the highest number to look at; null for the newest
 * @returns the number to continue with later; null when nothing is left or there is no room for it
 */
async function queueUnplayable(deps: UnplayableDeps, from: number | null, signal: AbortSignal): Promise<number | null> {
  const { database, queue, clock } = deps;
  let room = await deps.room.roomForUnplayable();
  let queued = 0;
  const freshAfter = clock.now() - freshMs;
  const last = from ?? (await videoRepository.readLastNumber(database.reader));
  for (let upTo = last; upTo > 0 && !signal.aborted; upTo -= sliceLength) {
    const videos = await encodableRepository.listUnplayable(database.reader, {
      after: upTo - sliceLength,
      upTo,
      freshAfter,
    });
    for (const video of videos) {
      room -= estimateBytes(video, renditionsToMake(video, 'unplayable', []), 'unplayable');
      if (room < 0) return null;
      if (queued >= maxQueued) return video.number;
      await queue.add([toEncodeJob(video, video.isFresh ? 'uploaded' : 'unplayable')]);
      queued += 1;
    }
    await breathe();
  }
  return null;
}

interface LackingDeps {
  database: Database;
  /** Nothing is fetched from a store for an encoding that nobody waits for. */
  sources: Pick<SourceFiles, 'isLocal'>;
  idSets: Pick<IdSets, 'pageNeeding'>;
  queue: Pick<JobQueue, 'add'>;
  lacked: Pick<LackedNeeds, 'list'>;
}

/**
 * Pages read in one run. The next run, a minute later, continues after pages in which nothing can
 * be encoded.
 */
const maxPages = 10;

/** Queues videos that were withheld from a device because it lacks something that they need. */
class LackingQueue {
  private readonly deps: LackingDeps;
  /**
   * The number of videos in pages that hold nothing to encode; encoded videos leave the list by
   * themselves.
   */
  private passed = 0;
  /** Videos that were queued once: an unexpected failure is not retried for ever. */
  private readonly tried = new Set<number>();

  constructor(deps: LackingDeps) {
    this.deps = deps;
  }

  /** Queues the newest video that fits. @returns false when there is none */
  async queueNext(freeBytes: number, signal: AbortSignal): Promise<boolean> {
    const { database, idSets, queue, lacked, sources } = this.deps;
    const isDue = (video: EncodableVideo) => !this.tried.has(video.number) && sources.isLocal(video);
    const places = lacked.list();
    if (places.length === 0) return false;
    for (let page = 0; page < maxPages && !signal.aborted; page += 1) {
      const numbers = idSets.pageNeeding(places, this.passed, inListLength);
      const videos = await encodableRepository.listUnencoded(database.reader, numbers);
      const video = videos.find((candidate) => isDue(candidate) && fits(candidate, freeBytes));
      if (video !== undefined) {
        this.tried.add(video.number);
        await queue.add([toEncodeJob(video, 'lacking')]);
        return true;
      }
      const isLast = numbers.length < inListLength;
      this.passed = isLast ? 0 : this.passed + numbers.length;
      if (isLast) return false;
    }
    return false;
  }

  /** Removed encodings may be made again. */
  forget(): void {
    this.passed = 0;
    this.tried.clear();
  }
}

/**
 * Queues videos that were given to devices that do not play their sound; in memory of this process
 * only.
 */
class SilentQueue {
  private readonly deps: Omit<LackingDeps, 'idSets' | 'lacked'>;
  private readonly picks = new PickCounts();
  /** Videos that were queued once: an unexpected failure is not retried for ever. */
  private readonly tried = new Set<number>();

  constructor(deps: Omit<LackingDeps, 'idSets' | 'lacked'>) {
    this.deps = deps;
  }

  count(videoNumber: number): void {
    if (!this.tried.has(videoNumber)) this.picks.add(videoNumber);
  }

  /** Queues the most picked video that fits. @returns false when there is none */
  async queueNext(freeBytes: number): Promise<boolean> {
    const { database, queue, sources } = this.deps;
    const numbers = this.picks.most(maxCandidates);
    const videos = new Map(
      (await encodableRepository.listUnencoded(database.reader, numbers)).map((video) => [video.number, video]),
    );
    for (const number of numbers) {
      this.picks.remove(number);
      const video = videos.get(number);
      if (video === undefined || !sources.isLocal(video) || !fits(video, freeBytes)) continue;
      this.tried.add(number);
      await queue.add([toEncodeJob(video, 'lacking')]);
      return true;
    }
    return false;
  }

  /** Removed encodings may be made again. */
  forget(): void {
    this.picks.take();
    this.tried.clear();
  }
}

/** A source is worth encoding when it has this many times the bits of an encoding. */
const worthwhileFactor = 2;

type PopularCandidate = Pick<
  PopularVideo,
  'picks' | 'size' | 'durationMs' | 'width' | 'height' | 'container' | 'videoCodec'
>;

/** The video whose encoding saves most bytes among those that fit; null when none is worth it. */
export function choosePopular<Video extends PopularCandidate>(
  videos: readonly Video[],
  freeBytes: number,
): Video | null {
  let best: Video | null = null;
  for (const video of videos)
    if (isWorthIt(video) && fits(video, freeBytes) && (best === null || savedBytes(video) > savedBytes(best)))
      best = video;
  return best;
}

function isWorthIt({ size, durationMs }: PopularCandidate): boolean {
  return durationMs !== null && durationMs > 0 && (size * 8) / durationMs >= worthwhileFactor * limits.gridKbps;
}

/** Whether the smallest set of renditions fits. */
function fits(video: Omit<PopularCandidate, 'picks'>, freeBytes: number): boolean {
  return estimateBytes(video, renditionsToMake(video, 'popular', []), 'popular') <= freeBytes;
}

/** The bytes that an encoding saves over all picks together. */
function savedBytes(video: PopularCandidate): number {
  return video.picks * Math.max(0, video.size - estimateRendition(video, 'grid'));
}
