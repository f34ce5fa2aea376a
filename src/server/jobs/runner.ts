import { hostname } from 'node:os';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { SweepTime } from '../database/sweep-time.ts';
import type { Ids } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import type { ClaimedJob, JobKind, JobLane, JobRun, StoredJob } from './job.ts';
import { JobFailure, JobPostponed } from './job.ts';
import type { JobQueue } from './job-queue.ts';
import type { Ending } from './job-repository.ts';
import { jobRepository } from './job-repository.ts';

interface RunnerDeps extends RunsDeps {
  ids: Ids;
  sweepTime: SweepTime;
  /** Number of jobs per lane that may run at a time in this process. */
  places: Readonly<Record<JobLane, number>>;
  times?: Partial<RunnerTimes>;
}

const forgetEveryMs = 3_600_000;
const lanes: readonly JobLane[] = ['media', 'encode', 'between', 'light'];

/**
 * Runs queued jobs, a few at a time. Its own database calls are short; the work belongs to the job
 * kinds.
 */
export class Runner {
  private readonly deps: RunnerDeps;
  private readonly times: RunnerTimes;
  private readonly node = `${hostname()}:${process.pid}`;
  private readonly runs: Runs;
  private readonly stopping = new AbortController();
  private timer: Repetition | undefined;
  private beatAt = Number.NEGATIVE_INFINITY;
  private forgotAt = Number.NEGATIVE_INFINITY;
  private turn: Promise<void> | null = null;
  private isTurnWanted = false;
  /** Whether the last turn failed: an outage is logged when it begins and when it ends. */
  private isCutOff = false;

  constructor(deps: RunnerDeps) {
    this.deps = deps;
    this.times = { ...usualTimes, ...deps.times };
    this.runs = createRuns(deps, this.times);
    deps.queue.watch({ added: () => this.wake(), cancelled: (id) => this.runs.lose(id) });
  }

  start(): void {
    this.timer ??= repeat(() => this.wake(), this.times.poll);
    this.wake();
  }

  /**
   * Claims no more jobs and aborts the running ones, which return to the queue without using up an
   * attempt.
   */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.timer?.stop();
    await this.turn;
    await this.runs.stop();
  }

  /** Starts a turn. If one is under way, another follows it. */
  private wake(): void {
    if (this.stopping.signal.aborted || this.timer === undefined) return;
    if (this.turn !== null) {
      this.isTurnWanted = true;
      return;
    }
    this.turn = this.runTurn().finally(() => {
      this.turn = null;
      if (this.isTurnWanted) this.wake();
    });
  }

  private async runTurn(): Promise<void> {
    const { clock, log } = this.deps;
    this.isTurnWanted = false;
    try {
      // Own leases are renewed first, so that a clock set forward does not make this process's jobs
      // look abandoned.
      if (clock.elapsed() - this.beatAt >= this.times.heartbeat) await this.beat();
      for (const lane of lanes) await this.fill(lane);
      if (clock.elapsed() - this.forgotAt >= forgetEveryMs) await this.forget();
      if (this.isCutOff) log.info('the queue of jobs can be reached again');
      this.isCutOff = false;
    } catch (error) {
      if (!this.isCutOff) log.warn({ err: error }, 'the queue of jobs cannot be reached');
      this.isCutOff = true;
    }
  }

  private async beat(): Promise<void> {
    await this.runs.beat();
    this.beatAt = this.deps.clock.elapsed();
  }

  private async fill(lane: JobLane): Promise<void> {
    const kinds = this.deps.queue.offered().filter((kind) => kind.lane === lane || kind.otherLane === lane);
    const names = kinds.map((kind) => kind.kind);
    while (kinds.length > 0 && !this.stopping.signal.aborted && this.runs.countIn(lane) < this.deps.places[lane]) {
      const job = await this.claim(lane, names);
      if (job === null) return;
      this.runs.begin(job, lane, () => this.wake());
    }
  }

  private claim(lane: JobLane, kinds: readonly string[]): Promise<ClaimedJob | null> {
    const { clock, database, ids } = this.deps;
    const now = clock.now();
    const input = { lane, kinds, lease: ids.secret(), leaseUntil: now + this.times.lease, node: this.node, now };
    return database.write((transaction) => jobRepository.claim(transaction, database.dialect, input));
  }

  private async forget(): Promise<void> {
    const { clock, database, sweepTime } = this.deps;
    this.forgotAt = clock.elapsed();
    await forgetEnded(database, await sweepTime.read(), this.stopping.signal);
  }
}

/** The jobs that this process is running. */
interface Runs {
  countIn(lane: JobLane): number;
  /** @param onEnd called once the job's end is stored */
  begin(job: ClaimedJob, lane: JobLane, onEnd: () => void): void;
  /**
   * Renews the lease of each run, aborts runs that have lost it, and returns the jobs of dead
   * processes to the queue.
   */
  beat(): Promise<void>;
  /** Aborts the run of a job that was cancelled. */
  lose(jobId: string): void;
  /**
   * Aborts all runs, including those that begin later, and waits a limited time for them to end.
   */
  stop(): Promise<void>;
}

interface RunsDeps {
  queue: JobQueue;
  database: Database;
  clock: Clock;
  log: Log;
}

interface Run {
  job: ClaimedJob;
  lane: JobLane;
  progress: number;
  control: AbortController;
  ended: Promise<void>;
}

const processEnded = 'The process that worked on this ended.';
const lost = Symbol('lost');

function createRuns({ queue, database, clock, log }: RunsDeps, times: RunnerTimes): Runs {
  const runs = new Map<string, Run>();
  let isStopping = false;

  /** @returns whether this process still holds the lease */
  function renew({ job, progress }: Run): Promise<boolean> {
    return database.write((transaction) =>
      jobRepository.renewLease(transaction, job, clock.now() + times.lease, progress),
    );
  }

  async function execute(run: Run, report: (progress: number) => void): Promise<void> {
    const { job, control } = run;
    const ending = await attempt(
      queue.kind(job.kind),
      { job, signal: control.signal, report },
      { clock, log, retryDelay: times.retryDelay },
    );
    if (control.signal.reason === lost) return;
    try {
      // `gaveUp` comes first: whoever sees the failed state also finds the consequences.
      if (ending.state === 'failed' && ending.error !== surprise && (await renew(run)))
        await queue.kind(job.kind)?.gaveUp?.(job, ending.error);
      await database.write((transaction) => jobRepository.endRun(transaction, job, ending, clock.now()));
    } catch (error) {
      log.warn({ err: error, job: job.id }, 'the end of a job could not be written down; it is repeated');
    }
  }

  return {
    countIn: (lane) => [...runs.values()].filter((run) => run.lane === lane).length,

    begin(job, lane, onEnd) {
      const run: Run = { job, lane, progress: 0, control: new AbortController(), ended: Promise.resolve() };
      const report = (progress: number) => {
        run.progress = Math.round(Math.min(Math.max(0, progress), 100));
      };
      runs.set(job.lease, run);
      if (isStopping) run.control.abort(stopping);
      run.ended = execute(run, report).finally(() => {
        runs.delete(job.lease);
        onEnd();
      });
    },

    async beat() {
      const began = clock.now();
      for (const run of [...runs.values()]) if (!(await renew(run))) run.control.abort(lost);
      // The earlier instant counts: a clock set forward or back while the leases were renewed must
      // not make own jobs look abandoned.
      const now = Math.min(began, clock.now());
      const failed = await database.write((transaction) =>
        jobRepository.releaseExpired(transaction, now, processEnded),
      );
      for (const job of failed) await queue.kind(job.kind)?.gaveUp?.(job, processEnded);
    },

    lose(jobId) {
      for (const run of runs.values()) if (run.job.id === jobId) run.control.abort(lost);
    },

    async stop() {
      isStopping = true;
      for (const run of runs.values()) run.control.abort(stopping);
      await Promise.race([Promise.all([...runs.values()].map((run) => run.ended)), patience(times.stopPatience)]);
    },
  };
}

function patience(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms).unref();
  return promise;
}

interface AttemptTools {
  clock: Clock;
  log: Log;
  /** Milliseconds until the next attempt. @param attempts number of attempts so far */
  retryDelay(attempts: number): number;
}

/** The message stored for an unexpected error. */
const surprise = 'This went wrong in an unexpected way; the log says more.';

/** The abort reason when the server stops. */
const stopping = Symbol('stopping');

/** Makes one attempt at a job. Never throws: the result says how the run ended. */
async function attempt(kind: JobKind | undefined, run: JobRun, tools: AttemptTools): Promise<Ending> {
  const { job, signal } = run;
  try {
    await kind?.run(run);
    return { state: 'done' };
  } catch (error) {
    if (signal.reason === stopping)
      return { state: 'queued', error: job.error, runAt: tools.clock.now(), isAttempt: false };
    if (error instanceof JobPostponed)
      return {
        state: 'queued',
        error: job.error,
        runAt: tools.clock.now() + error.delayMs,
        isAttempt: false,
        ...(error.lane === null ? {} : { lane: error.lane }),
      };
    return endingOf(job, error, tools);
  }
}

function endingOf(job: StoredJob, thrown: unknown, { clock, log, retryDelay }: AttemptTools): Ending {
  const isExpected = thrown instanceof JobFailure;
  if (!isExpected) log.error({ err: thrown, job: job.id, kind: job.kind }, 'a job failed');
  const error = isExpected ? thrown.message : surprise;
  if ((isExpected && thrown.isFinal) || job.attempts >= job.attemptsMax) return { state: 'failed', error };
  return { state: 'queued', error, runAt: clock.now() + retryDelay(job.attempts), isAttempt: true };
}

/** A runner's intervals and time limits, in milliseconds. */
export interface RunnerTimes {
  /** How often the queue is checked for jobs from other processes and for postponed jobs. */
  poll: number;
  /** How often the leases of running jobs are renewed. */
  heartbeat: number;
  /** How long after its last heartbeat a job counts as abandoned. */
  lease: number;
  /** How long `stop` waits for aborted jobs. */
  stopPatience: number;
  retryDelay(attempts: number): number;
}

const usualTimes: RunnerTimes = {
  poll: 2_000,
  heartbeat: 5_000,
  lease: 30_000,
  stopPatience: 5_000,
  retryDelay: retryDelayMs,
};

const firstDelayMs = 10_000;
const longestDelayMs = 3_600_000;

/**
 * The wait before the next attempt, in milliseconds: 10 s, then four times as long each time, at
 * most an hour.
 * @param attempts number of attempts so far, from 1
 */
export function retryDelayMs(attempts: number): number {
  return Math.min(firstDelayMs * 4 ** (attempts - 1), longestDelayMs);
}

const day = 24 * 3_600_000;
/** How long ended jobs are kept, in milliseconds. */
const memory = { done: day, cancelled: 7 * day, failed: 30 * day } as const;

/** Deletes jobs that ended long ago, in slices. @param until current time as read for sweeps */
async function forgetEnded(database: Database, until: number, signal: AbortSignal): Promise<void> {
  for (const [state, keptMs] of Object.entries(memory) as [keyof typeof memory, number][]) {
    while (
      !signal.aborted &&
      (await database.write((transaction) => jobRepository.deleteEnded(transaction, state, until - keptMs))) > 0
    )
      await breathe();
  }
}
