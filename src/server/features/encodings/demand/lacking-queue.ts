import type { Database } from '../../../database/connection.ts';
import { inListLength } from '../../../database/dialect.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import { listUnencoded } from '../encodable-repository.ts';
import { toEncodeJob } from '../jobs/encode-order.ts';
import { fits } from './choose-popular.ts';
import type { LackedNeeds } from './lacked-needs.ts';

export interface LackingDeps {
  database: Database;
  idSets: Pick<IdSets, 'pageNeeding'>;
  queue: Pick<JobQueue, 'add'>;
  lacked: Pick<LackedNeeds, 'list'>;
}

/** In one go: where nothing can be made of so many, the next minute goes on. */
const maxPages = 10;

/** Queues videos that were not drawn for a device because it lacks something that they need. */
export class LackingQueue {
  private readonly deps: LackingDeps;
  /** Videos in whole pages of which nothing is to be made; what is encoded leaves the list by itself. */
  private passed = 0;
  /** What was queued once: that it failed in an unexpected way is no reason to try for ever. */
  private readonly tried = new Set<number>();

  constructor(deps: LackingDeps) {
    this.deps = deps;
  }

  /** Queues the newest one that fits. @returns false when there is none */
  async queueNext(freeBytes: number, signal: AbortSignal): Promise<boolean> {
    const { database, idSets, queue, lacked } = this.deps;
    const places = lacked.list();
    if (places.length === 0) return false;
    for (let page = 0; page < maxPages && !signal.aborted; page += 1) {
      const numbers = idSets.pageNeeding(places, this.passed, inListLength);
      const videos = await listUnencoded(database.reader, numbers);
      const video = videos.find((candidate) => !this.tried.has(candidate.number) && fits(candidate, freeBytes));
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

  /** What was removed may be made again. */
  forget(): void {
    this.passed = 0;
    this.tried.clear();
  }
}
