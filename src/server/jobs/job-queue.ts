import { setImmediate as breathe } from 'node:timers/promises';
import type { Insertable } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { JobsTable } from '../database/tables/job-tables.ts';
import type { Executor } from '../database/tables.ts';
import type { Ids } from '../ids.ts';
import type { JobKind, NewJob } from './job.ts';
import { findJob } from './job-repository.ts';
import type { IdleJobs, RetriableJob } from './queue-repository.ts';
import {
  activeKeyOf,
  cancelActive,
  cancelIdle,
  hasActive,
  hasCancelled,
  insertJobs,
  listRetriable,
  requeueEnded,
} from './queue-repository.ts';

interface JobQueueDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
}

/** `ended`: too late, or too early, for what was asked. */
export type JobAnswer = 'done' | 'ended' | 'unknown';

interface JobWatcher {
  added(): void;
  cancelled(id: string): void;
}

const usualPriority = 100;

/** What work there is. Runners, of this process or another, take it from here. */
export class JobQueue {
  private readonly deps: JobQueueDeps;
  private readonly kindsByName = new Map<string, JobKind>();
  private readonly watchers: JobWatcher[] = [];

  constructor(deps: JobQueueDeps) {
    this.deps = deps;
  }

  /** Says how a kind of job is done. A node that does not know a kind leaves its jobs to others. */
  register(kind: JobKind): void {
    this.kindsByName.set(kind.kind, kind);
  }

  kind(name: string): JobKind | undefined {
    return this.kindsByName.get(name);
  }

  kinds(): readonly JobKind[] {
    return [...this.kindsByName.values()];
  }

  /** Notifies a runner of this process at once of what others learn by polling. */
  watch(watcher: JobWatcher): void {
    this.watchers.push(watcher);
  }

  async add(jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.deps.database.write((transaction) => this.addWithin(transaction, jobs));
    this.wake();
  }

  /** As part of a transaction: queued if and only if that is committed. `wake` comes after it. */
  addWithin(transaction: Executor, jobs: readonly NewJob[]): Promise<void> {
    const rows = [...bestOfEach(jobs).values()].map((job) => this.toRow(job));
    return insertJobs(transaction, rows);
  }

  /** Whether a job of a kind and subject is queued or running, wherever that is. */
  isActive(kind: string, subject: string): Promise<boolean> {
    return hasActive(this.deps.database.reader, activeKeyOf(kind, subject));
  }

  /** Whether one was cancelled, by whomever. */
  wasCancelled(kind: string, subject: string): Promise<boolean> {
    return hasCancelled(this.deps.database.reader, kind, subject);
  }

  /** Makes the runners of this process look at once for what was added. */
  wake(): void {
    for (const watcher of this.watchers) watcher.added();
  }

  /** Also a running job, wherever it runs. One that was cancelled before is `done`. */
  async cancel(id: string): Promise<JobAnswer> {
    const { database, clock } = this.deps;
    const isCancelled = await database.write((transaction) => cancelActive(transaction, id, clock.now()));
    if (isCancelled) for (const watcher of this.watchers) watcher.cancelled(id);
    return isCancelled ? 'done' : answerFor((await findJob(database.reader, id))?.state, ['cancelled']);
  }

  /** Queues a failed or cancelled job anew. One that is queued or running is `done`. */
  async retry(id: string): Promise<JobAnswer> {
    const { database, clock } = this.deps;
    const isQueued = (await requeue(database, [id], clock.now())) > 0;
    if (isQueued) this.wake();
    return isQueued ? 'done' : answerFor((await findJob(database.reader, id))?.state, ['queued', 'running']);
  }

  /** Queues all failed jobs of a kind anew; one whose subject is on its way already is left. @returns how many */
  async retryFailed(name: string): Promise<number> {
    const { database, clock } = this.deps;
    const isOneForAll = this.kindsByName.get(name)?.isOneForAll === true;
    const retried = await requeueFailed(database, name, isOneForAll, clock.now());
    if (retried > 0) this.wake();
    return retried;
  }

  /**
   * Cancels all jobs of a kind that wait; what runs goes on.
   * @param fromPriority what goes before that is left
   * @returns how many
   */
  cancelWaiting(name: string, fromPriority = 0): Promise<number> {
    const { database, clock } = this.deps;
    return cancelAllIdle(database, { kind: name, state: 'queued', fromPriority }, clock.now());
  }

  private toRow(job: NewJob): Insertable<JobsTable> {
    const { kind: name, subject, videoNumber, payload } = job;
    const kind = this.kindsByName.get(name);
    if (kind === undefined) throw new Error(`There is no kind of job called ${name}.`);
    const now = this.deps.clock.now();
    return {
      id: this.deps.ids.long(),
      kind: name,
      subject,
      active_key: activeKeyOf(name, subject),
      state: 'queued',
      lane: job.lane ?? kind.lane,
      priority: priorityOf(job),
      run_at: now,
      attempts: 0,
      attempts_max: kind.attemptsMax,
      progress: 0,
      video_number: videoNumber ?? null,
      payload: JSON.stringify(payload ?? null),
      created_at: now,
    };
  }
}

/** By kind and subject: one statement cannot meet the same row twice. */
function bestOfEach(jobs: readonly NewJob[]): Map<string, NewJob> {
  const best = new Map<string, NewJob>();
  for (const job of jobs) {
    const key = activeKeyOf(job.kind, job.subject);
    const known = best.get(key);
    if (known === undefined || priorityOf(job) < priorityOf(known)) best.set(key, job);
  }
  return best;
}

function priorityOf({ priority }: NewJob): number {
  return priority ?? usualPriority;
}

function answerFor<State>(state: State | undefined, wanted: readonly State[]): JobAnswer {
  if (state === undefined) return 'unknown';
  return wanted.includes(state) ? 'done' : 'ended';
}

/** Jobs that one transaction changes: some milliseconds. */
const jobsTogether = 100;

/**
 * Queues ended jobs anew. One whose kind and subject are on their way is not needed, and left. @returns how many were
 * queued
 */
async function requeue(database: Database, ids: readonly string[], now: number): Promise<number> {
  try {
    return await database.write((transaction) => requeueEnded(transaction, ids, now));
  } catch (error) {
    if (!database.dialect.isConflict(error)) throw error;
  }
  let queued = 0;
  if (ids.length > 1) for (const id of ids) queued += await requeue(database, [id], now);
  return queued;
}

/**
 * Queues all failed jobs of a kind anew, in slices and each subject once.
 * @param isOneForAll the newest does for all: the others are cancelled
 * @returns how many were queued
 */
async function requeueFailed(database: Database, kind: string, isOneForAll: boolean, now: number): Promise<number> {
  let queued = 0;
  let before: string | null = null;
  for (;;) {
    const jobs: RetriableJob[] = await listRetriable(database.reader, kind, before, isOneForAll ? 1 : jobsTogether);
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

/** Cancels all jobs of a kind that wait, or have failed, in slices. @returns how many */
async function cancelAllIdle(database: Database, jobs: IdleJobs, now: number): Promise<number> {
  let cancelled = 0;
  for (let count = -1; count !== 0; cancelled += count) {
    count = await database.write((transaction) => cancelIdle(transaction, jobs, jobsTogether, now));
    await breathe();
  }
  return cancelled;
}

/** A subject may have failed several times: its ids, newest first, lose all but the first. */
function newestOfEach(jobs: readonly RetriableJob[]): string[] {
  const newest = new Map<string, string>();
  for (const { id, subject } of jobs) if (!newest.has(subject)) newest.set(subject, id);
  return [...newest.values()];
}
