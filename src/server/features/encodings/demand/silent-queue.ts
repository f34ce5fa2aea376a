import type { Database } from '../../../database/connection.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import { listUnencoded } from '../encodable-repository.ts';
import { toEncodeJob } from '../jobs/encode-order.ts';
import { fits } from './choose-popular.ts';
import { PickCounts } from './pick-counts.ts';

interface SilentDeps {
  database: Pick<Database, 'reader'>;
  queue: Pick<JobQueue, 'add'>;
}

/** Of those that are picked most. */
const maxCandidates = 50;

/** Queues videos that devices were given although they do not play their sound; in memory of this process. */
export class SilentQueue {
  private readonly deps: SilentDeps;
  private readonly picks = new PickCounts();
  /** What was queued once: that it failed in an unexpected way is no reason to try for ever. */
  private readonly tried = new Set<number>();

  constructor(deps: SilentDeps) {
    this.deps = deps;
  }

  count(videoNumber: number): void {
    if (!this.tried.has(videoNumber)) this.picks.add(videoNumber);
  }

  /** Queues the one that fits and was picked most. @returns false when there is none */
  async queueNext(freeBytes: number): Promise<boolean> {
    const { database, queue } = this.deps;
    const numbers = this.picks.most(maxCandidates);
    const videos = new Map((await listUnencoded(database.reader, numbers)).map((video) => [video.number, video]));
    for (const number of numbers) {
      this.picks.remove(number);
      const video = videos.get(number);
      if (video === undefined || !fits(video, freeBytes)) continue;
      this.tried.add(number);
      await queue.add([toEncodeJob(video, 'lacking')]);
      return true;
    }
    return false;
  }

  /** What was removed may be made again. */
  forget(): void {
    this.picks.take();
    this.tried.clear();
  }
}
