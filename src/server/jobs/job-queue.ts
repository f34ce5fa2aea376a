import type { Insertable } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Executor, Tables } from '../database/tables.ts';
import type { Ids } from '../ids.ts';
import type { JobKind, NewJob } from './job.ts';
import { jobRepository } from './job-repository.ts';
import { activeKeyOf, jobQueueRepository } from './queue-repository.ts';
import { cancelAllIdle, requeue, requeueFailed } from './requeue.ts';

interface JobQueueDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  /** False for a node that leaves all jobs to others. */
  runsHere?: boolean;
  /** Whether another node does jobs of a kind. */
  runsElsewhere?(kind: string): boolean;
}

/** `done` also if nothing had to change; `ended` if the job's state does not allow the request. */
export type JobAnswer = 'done' | 'ended' | 'unknown';

interface JobWatcher {
  added(): void;
  cancelled(id: string): void;
}

const usualPriority = 100;

/** The queue of jobs. Runners of this and of other processes take jobs from it. */
export class JobQueue {
  private readonly deps: JobQueueDeps;
  private readonly kindsByName = new Map<string, JobKind>();
  private readonly watchers: JobWatcher[] = [];

  constructor(deps: JobQueueDeps) {
    this.deps = deps;
  }

  /**
   * Registers how a kind of job is done. A node leaves jobs of unregistered kinds to other nodes.
   */
  register(kind: JobKind): void {
    this.kindsByName.set(kind.kind, kind);
  }

  kind(name: string): JobKind | undefined {
    return this.kindsByName.get(name);
  }

  kinds(): readonly JobKind[] {
    return [...this.kindsByName.values()];
  }

  /** The kinds that this node does at the moment. */
  offered(): readonly JobKind[] {
    return this.runsHere ? this.kinds().filter((kind) => kind.isOffered?.() !== false) : [];
  }

  /** False for a node that leaves all jobs to others. */
  get runsHere(): boolean {
    return this.deps.runsHere !== false;
  }

  /** Whether any node does jobs of a kind at the moment. */
  canBeDone(name: string): boolean {
    const kind = this.kind(name);
    if (kind === undefined) return false;
    return this.offered().includes(kind) || this.deps.runsElsewhere?.(name) === true;
  }

  /** Notifies a runner of this process at once; runners of other processes poll. */
  watch(watcher: JobWatcher): void {
    this.watchers.push(watcher);
  }

  async add(jobs: readonly NewJob[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.deps.database.write((transaction) => this.addWithin(transaction, jobs));
    this.wake();
  }

  /** Queues jobs as part of a transaction. Call `wake` after the commit. */
  addWithin(transaction: Executor, jobs: readonly NewJob[]): Promise<void> {
    const rows = [...bestOfEach(jobs).values()].map((job) => this.toRow(job));
    return jobQueueRepository.insert(transaction, rows);
  }

  /** Whether a job of this kind and subject is queued or running on any node. */
  isActive(kind: string, subject: string): Promise<boolean> {
    return jobQueueRepository.hasActive(this.deps.database.reader, activeKeyOf(kind, subject));
  }

  /** Whether a job of this kind and subject was cancelled by anyone. */
  wasCancelled(kind: string, subject: string): Promise<boolean> {
    return jobQueueRepository.hasCancelled(this.deps.database.reader, kind, subject);
  }

  /** Makes the runners of this process look for new jobs at once. */
  wake(): void {
    for (const watcher of this.watchers) watcher.added();
  }

  /**
   * Cancels a queued or running job, on whichever node it runs. `done` also if it was cancelled
   * before.
   */
  async cancel(id: string): Promise<JobAnswer> {
    const { database, clock } = this.deps;
    const isCancelled = await database.write((transaction) =>
      jobQueueRepository.cancelActive(transaction, id, clock.now()),
    );
    if (isCancelled) for (const watcher of this.watchers) watcher.cancelled(id);
    return isCancelled ? 'done' : answerFor((await jobRepository.find(database.reader, id))?.state, ['cancelled']);
  }

  /** Queues a failed or cancelled job again. `done` also if it is queued or running. */
  async retry(id: string): Promise<JobAnswer> {
    const { database, clock } = this.deps;
    const isQueued = (await requeue(database, [id], clock.now())) > 0;
    if (isQueued) this.wake();
    return isQueued ? 'done' : answerFor((await jobRepository.find(database.reader, id))?.state, ['queued', 'running']);
  }

  /**
   * Queues all failed jobs of a kind again, except those whose subject has an active job. @returns
   * how many
   */
  async retryFailed(name: string): Promise<number> {
    const { database, clock } = this.deps;
    const isOneForAll = this.kindsByName.get(name)?.isOneForAll === true;
    const retried = await requeueFailed(database, name, isOneForAll, clock.now());
    if (retried > 0) this.wake();
    return retried;
  }

  /**
   * Cancels all queued jobs of a kind. Running ones continue.
   * @param fromPriority jobs with a lower number than this stay queued
   * @returns how many
   */
  cancelWaiting(name: string, fromPriority = 0): Promise<number> {
    const { database, clock } = this.deps;
    return cancelAllIdle(database, { kind: name, state: 'queued', fromPriority }, clock.now());
  }

  private toRow(job: NewJob): Insertable<Tables['jobs']> {
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

/**
 * Keeps the most urgent job per kind and subject, because one insert statement cannot update the
 * same row twice.
 */
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
