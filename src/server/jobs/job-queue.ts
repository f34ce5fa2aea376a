import type { Insertable } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { JobsTable } from '../database/tables/job-tables.ts';
import type { Executor } from '../database/tables.ts';
import type { Ids } from '../ids.ts';
import type { JobKind, NewJob } from './job.ts';
import { findJob } from './job-repository.ts';
import { activeKeyOf, cancelActive, hasActive, insertJobs, requeueEnded } from './queue-repository.ts';

export interface JobQueueParts {
  database: Database;
  clock: Clock;
  ids: Ids;
}

/** `ended`: too late, or too early, for what was asked. */
export type JobAnswer = 'done' | 'ended' | 'unknown';

/** What work there is. Runners, of this process or another, take it from here. */
export interface JobQueue {
  /** Says how a kind of job is done. A node that does not know a kind leaves its jobs to others. */
  register(kind: JobKind): void;
  kind(name: string): JobKind | undefined;
  kinds(): readonly JobKind[];
  add(jobs: readonly NewJob[]): Promise<void>;
  /** As part of a transaction: queued if and only if that is committed. `wake` comes after it. */
  addWithin(transaction: Executor, jobs: readonly NewJob[]): Promise<void>;
  /** Whether a job of a kind and subject is queued or running, wherever that is. */
  isActive(kind: string, subject: string): Promise<boolean>;
  /** Makes the runners of this process look at once for what was added. */
  wake(): void;
  /** Also a running job, wherever it runs. One that was cancelled before is `done`. */
  cancel(id: string): Promise<JobAnswer>;
  /** Queues a failed or cancelled job anew. One that is queued or running is `done`. */
  retry(id: string): Promise<JobAnswer>;
  /** Tells a runner of this process at once what others learn by looking. */
  watch(watcher: JobWatcher): void;
}

export interface JobWatcher {
  added(): void;
  cancelled(id: string): void;
}

const usualPriority = 100;

export function createJobQueue({ database, clock, ids }: JobQueueParts): JobQueue {
  const kinds = new Map<string, JobKind>();
  const watchers: JobWatcher[] = [];

  function toRow(job: NewJob): Insertable<JobsTable> {
    const { kind: name, subject, videoNumber, payload } = job;
    const kind = kinds.get(name);
    if (kind === undefined) throw new Error(`There is no kind of job called ${name}.`);
    const now = clock.now();
    return {
      id: ids.long(),
      kind: name,
      subject,
      active_key: activeKeyOf(name, subject),
      state: 'queued',
      lane: kind.lane,
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

  function addWithin(transaction: Executor, jobs: readonly NewJob[]): Promise<void> {
    return insertJobs(transaction, [...bestOfEach(jobs).values()].map(toRow));
  }

  function wake(): void {
    for (const watcher of watchers) watcher.added();
  }

  return {
    register: (kind) => void kinds.set(kind.kind, kind),
    kind: (name) => kinds.get(name),
    kinds: () => [...kinds.values()],
    watch: (watcher) => void watchers.push(watcher),

    async add(jobs) {
      if (jobs.length === 0) return;
      await database.write((transaction) => addWithin(transaction, jobs));
      wake();
    },
    addWithin,
    isActive: (kind, subject) => hasActive(database.reader, activeKeyOf(kind, subject)),
    wake,

    async cancel(id) {
      const isCancelled = await database.write((transaction) => cancelActive(transaction, id, clock.now()));
      if (isCancelled) for (const watcher of watchers) watcher.cancelled(id);
      return isCancelled ? 'done' : answerFor((await findJob(database.reader, id))?.state, ['cancelled']);
    },

    async retry(id) {
      const isQueued = await requeue(database, id, clock.now());
      if (isQueued) wake();
      return isQueued ? 'done' : answerFor((await findJob(database.reader, id))?.state, ['queued', 'running']);
    },
  };
}

/** False also while another job of its kind and subject is on its way: then this one is not needed. */
async function requeue(database: Database, id: string, now: number): Promise<boolean> {
  try {
    return await database.write((transaction) => requeueEnded(transaction, id, now));
  } catch (error) {
    if (database.dialect.isConflict(error)) return false;
    throw error;
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
