import { setImmediate as breathe } from 'node:timers/promises';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { PosterTools } from './poster-jobs.ts';
import { cleanUpJob, posterKind, posterKinds, toPosterJob } from './poster-jobs.ts';
import {
  findPoster,
  findUsedContents,
  findVideoById,
  forgetPoster,
  forgetPosters,
  listPosterless,
} from './poster-repository.ts';
import type { Still } from './send-still.ts';
import { readLastVideoNumber } from './video-repository.ts';

export interface PosterDeps extends PosterTools {
  queue: JobQueue;
}

/** The stills by which people recognize videos: made by jobs, kept as files, shown until their video changes. */
export interface Posters {
  /**
   * Says to the queue how posters are made; without ffmpeg on this machine it says nothing, and there are no posters.
   */
  open(): Promise<void>;
  /** Queues whatever has no poster yet. Called again while it looks, it looks once more. */
  queueMissing(): Promise<void>;
  /**
   * Null without one, and for a hidden video unless whoever asks may see those. One whose file is gone is made anew,
   * before all others.
   */
  read(videoId: string, seesHidden: boolean): Promise<Still | null>;
  /** Removes a poster by its content, unless some video has it. */
  discard(content: string): Promise<void>;
  /** Queues the work that removes what no video has any more. */
  queueCleanUp(): Promise<void>;
  /** Forgets all of them; `queueMissing` makes them anew. */
  clear(): Promise<void>;
  /** Ends a look that is under way. */
  stop(): Promise<void>;
}

const backgroundPriority = 100;
/** Somebody has asked for it. */
const wantedPriority = 10;

/** Videos looked at in one go, so that neither the database nor the event loop is held. */
const sliceLength = 250;

export function createPosters(deps: PosterDeps): Posters {
  const { database, clock, log, queue, ffmpeg, files } = deps;
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
      if ((await ffmpeg.locate()) === null) return;
      for (const kind of posterKinds(deps)) queue.register(kind);
      await queue.add([cleanUpJob]);
    },

    queueMissing() {
      if (queue.kind(posterKind) === undefined) return Promise.resolve();
      isLookWanted = true;
      looking ??= lookThrough().finally(() => {
        looking = null;
      });
      return looking;
    },

    async read(videoId, seesHidden) {
      const video = await findVideoById(database.reader, videoId);
      if (video === null || (video.isHidden && !seesHidden)) return null;
      const content = await findPoster(database.reader, video);
      if (content === null) return null;
      const webp = await files.read(content);
      if (webp !== null) return { content, webp };
      await database.write((transaction) => forgetPoster(transaction, video.number));
      if (queue.kind(posterKind) !== undefined)
        await queue.add([toPosterJob({ ...video, modified_us: video.modifiedUs }, wantedPriority)]);
      return null;
    },

    async discard(content) {
      const used = await findUsedContents(database.reader, [content]);
      if (!used.has(content)) await files.remove(content);
    },

    async queueCleanUp() {
      if (queue.kind(posterKind) !== undefined) await queue.add([cleanUpJob]);
    },

    async clear() {
      for (let after: number | null = 0; after !== null; ) {
        const from: number = after;
        after = await database.write((transaction) => forgetPosters(transaction, from, sliceLength));
        await breathe();
      }
      await files.sweep(clock.now(), (contents) => findUsedContents(database.reader, contents));
    },

    async stop() {
      ending.abort();
      await looking;
    },
  };
}

async function queuePosterless({ database, queue }: PosterDeps, signal: AbortSignal): Promise<void> {
  const last = await readLastVideoNumber(database.reader);
  // Newest first: what has just come is looked at soonest.
  for (let upTo = last; upTo > 0 && !signal.aborted; upTo -= sliceLength) {
    const videos = await listPosterless(database.reader, upTo - sliceLength, upTo);
    await queue.add(videos.reverse().map((video) => toPosterJob(video, backgroundPriority)));
    await breathe();
  }
}
