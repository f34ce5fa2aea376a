import { setImmediate as breathe } from 'node:timers/promises';
import type { Database } from '../database/connection.ts';
import type { IdleJobs, RetriableJob } from './queue-repository.ts';
import { jobQueueRepository } from './queue-repository.ts';

/** Number of jobs that one transaction changes, which takes a few milliseconds. */
const jobsTogether = 100;

/**
 * Queues ended jobs again, except those whose kind and subject have an active job.
 * @returns how many were queued
 */
export async function requeue(database: Database, ids: readonly string[], now: number): Promise<number> {
  try {
    return await database.write((transaction) => jobQueueRepository.requeueEnded(transaction, ids, now));
  } catch (error) {
    if (!database.dialect.isConflict(error)) throw error;
  }
  let queued = 0;
  if (ids.length > 1) for (const id of ids) queued += await requeue(database, [id], now);
  return queued;
}

/**
 * Queues all failed jobs of a kind again, in slices, once per subject.
 * @param isOneForAll queues only the newest job and cancels the others
 * @returns how many were queued
 */
export async function requeueFailed(
  database: Database,
  kind: string,
  isOneForAll: boolean,
  now: number,
): Promise<number> {
  let queued = 0;
  let before: string | null = null;
  for (;;) {
    const jobs: RetriableJob[] = await jobQueueRepository.listRetriable(
      database.reader,
      kind,
      before,
      isOneForAll ? 1 : jobsTogether,
    );
    const last = jobs.at(-1);
    if (last === undefined) return queued;
    queued += await requeue(database, newestOfEach(jobs), now);
    if (isOneForAll && queued > 0) {
      await cancelAllIdle(database, { kind, state: 'failed' }, now);
      return queued;
    }
    before = last.id;
    await breathe();
  }
}

/** Cancels all queued or all failed jobs of a kind, in slices. @returns how many */
export async function cancelAllIdle(database: Database, jobs: IdleJobs, now: number): Promise<number> {
  let cancelled = 0;
  for (let count = -1; count !== 0; cancelled += count) {
    count = await database.write((transaction) => jobQueueRepository.cancelIdle(transaction, jobs, jobsTogether, now));
    await breathe();
  }
  return cancelled;
}

/** Keeps the newest job of each subject. @param jobs newest first */
function newestOfEach(jobs: readonly RetriableJob[]): string[] {
  const newest = new Map<string, string>();
  for (const { id, subject } of jobs) if (!newest.has(subject)) newest.set(subject, id);
  return [...newest.values()];
}
