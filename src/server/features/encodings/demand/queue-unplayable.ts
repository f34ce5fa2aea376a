import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import { readLastVideoNumber } from '../../videos/video-repository.ts';
import { listUnplayable } from '../encodable-repository.ts';
import { toEncodeJob } from '../jobs/encode-order.ts';
import { estimateBytes } from '../jobs/estimate-bytes.ts';
import { renditionsToMake } from '../jobs/renditions-to-make.ts';
import type { Room } from '../room/room.ts';

export interface UnplayableDeps {
  database: Database;
  clock: Clock;
  queue: JobQueue;
  room: Pick<Room, 'roomForUnplayable'>;
}

/** Videos looked at in one go, so that neither the database nor the event loop is held. */
const sliceLength = 250;
/** What is queued at a time: enough until the lane is looked at again. */
const maxQueued = 100;
/** How long an upload counts as having just come. */
const freshMs = 3_600_000;

/**
 * Queues what nothing plays as it is, newest first, as far as there is room.
 * @param from the highest number to look at; null: the newest
 * @returns the number to go on with once that is done; null: there is nothing more, or no room for it
 */
export async function queueUnplayable(
  deps: UnplayableDeps,
  from: number | null,
  signal: AbortSignal,
): Promise<number | null> {
  const { database, queue, clock } = deps;
  let room = await deps.room.roomForUnplayable();
  let queued = 0;
  const freshAfter = clock.now() - freshMs;
  const last = from ?? (await readLastVideoNumber(database.reader));
  for (let upTo = last; upTo > 0 && !signal.aborted; upTo -= sliceLength) {
    const videos = await listUnplayable(database.reader, { after: upTo - sliceLength, upTo, freshAfter });
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
