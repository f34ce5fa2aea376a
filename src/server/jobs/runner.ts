import { hostname } from 'node:os';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Ids } from '../ids.ts';
import type { Log } from '../log.ts';
import { attempt, stopping, surprise } from './attempt.ts';
import type { ClaimedJob, JobLane } from './job.ts';
import type { JobQueue } from './job-queue.ts';
import { claimJob, deleteEnded, endRun, releaseExpired, renewLease } from './job-repository.ts';
import { retryDelayMs } from './retry-delay.ts';

export interface Runner {
  start(): void;
  /** Takes nothing new; what runs is aborted, and goes back to the queue without having used up an attempt. */
  stop(): Promise<void>;
}

export interface RunnerParts {
  queue: JobQueue;
  database: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** How many jobs of a lane run at a time in this process. */
  places: Readonly<Record<JobLane, number>>;
  times?: Partial<RunnerTimes>;
}

/** Milliseconds. */
export interface RunnerTimes {
  /** How often the queue is looked at for what other processes have put there, and for what had to wait. */
  poll: number;
  /** How often running jobs are said to be running. */
  heartbeat: number;
  /** How long after its last heartbeat a job is given to somebody else. */
  lease: number;
  /** How long to wait for aborted jobs when stopping. */
  stopPatience: number;
  retryDelay(attempts: number): number;
}

const usualTimes: RunnerTimes = { poll: 2_000, heartbeat: 5_000, lease: 30_000, stopPatience: 5_000, retryDelay: retryDelayMs };

const hour = 3_600_000;
const day = 24 * hour;
/** How long jobs that ended are remembered. */
const memory = { done: day, cancelled: 7 * day, failed: 30 * day } as const;

const processEnded = 'The process that worked on this ended.';
const lost = Symbol('lost');

interface Run {
  job: ClaimedJob;
  lane: JobLane;
  progress: number;
  control: AbortController;
  ended: Promise<void>;
}

/** Executes queued jobs, a few at a time. All it does to the database is short; the work itself belongs to the kinds. */
export function createRunner(parts: RunnerParts): Runner {
  const { queue, database, clock, ids, log } = parts;
  const times = { ...usualTimes, ...parts.times };
  const node = `${hostname()}:${process.pid}`;
  const runs = new Map<string, Run>();
  const state = { isStopping: false, timer: undefined as NodeJS.Timeout | undefined, beatAt: Number.NEGATIVE_INFINITY, cleanedAt: Number.NEGATIVE_INFINITY };
  let turn: Promise<void> | null = null;
  let isTurnWanted = false;

  /** One turn at a time; a wish during one makes another follow. */
  function wake(): void {
    if (state.isStopping || state.timer === undefined) return;
    if (turn !== null) {
      isTurnWanted = true;
      return;
    }
    turn = takeTurn().finally(() => {
      turn = null;
      if (isTurnWanted) wake();
    });
  }

  async function takeTurn(): Promise<void> {
    isTurnWanted = false;
    try {
      // Our own first: a clock that was set forward must not make our own jobs look abandoned.
      if (clock.elapsed() - state.beatAt >= times.heartbeat) await beat();
      for (const lane of lanes) await fill(lane);
      if (clock.elapsed() - state.cleanedAt >= hour) await clean();
    } catch (error) {
      log.warn({ err: error }, 'the queue of jobs cannot be reached');
    }
  }

  async function beat(): Promise<void> {
    for (const run of [...runs.values()]) {
      const isOurs = await database.write((transaction) => renewLease(transaction, run.job, clock.now() + times.lease, run.progress));
      if (!isOurs) run.control.abort(lost);
    }
    state.beatAt = clock.elapsed();
    const failed = await database.write((transaction) => releaseExpired(transaction, clock.now(), processEnded));
    for (const job of failed) await queue.kind(job.kind)?.gaveUp?.(job, processEnded);
  }

  async function fill(lane: JobLane): Promise<void> {
    const kinds = queue.kinds().filter((kind) => kind.lane === lane);
    if (kinds.length === 0) return;
    while (!state.isStopping && [...runs.values()].filter((run) => run.lane === lane).length < parts.places[lane]) {
      const now = clock.now();
      const claim = { lane, kinds: kinds.map((kind) => kind.kind), lease: ids.secret(), leaseUntil: now + times.lease, node, now };
      const job = await database.write((transaction) => claimJob(transaction, database.dialect, claim));
      if (job === null) return;
      begin(job, lane);
    }
  }

  function begin(job: ClaimedJob, lane: JobLane): void {
    const run: Run = { job, lane, progress: 0, control: new AbortController(), ended: Promise.resolve() };
    runs.set(job.lease, run);
    if (state.isStopping) run.control.abort(stopping);
    run.ended = execute(run).finally(() => {
      runs.delete(job.lease);
      wake();
    });
  }

  async function execute(run: Run): Promise<void> {
    const { job, control } = run;
    const report = (progress: number) => {
      run.progress = Math.round(Math.min(Math.max(0, progress), 100));
    };
    const ending = await attempt(queue.kind(job.kind), { job, signal: control.signal, report }, { clock, log, retryDelay: times.retryDelay });
    if (control.signal.reason === lost) return;
    try {
      const isOurs = await database.write((transaction) => endRun(transaction, job, ending, clock.now()));
      if (isOurs && ending.state === 'failed' && ending.error !== surprise) await queue.kind(job.kind)?.gaveUp?.(job, ending.error);
    } catch (error) {
      log.warn({ err: error, job: job.id }, 'the end of a job could not be written down; it is repeated');
    }
  }

  async function clean(): Promise<void> {
    state.cleanedAt = clock.elapsed();
    for (const [ended, keptMs] of Object.entries(memory) as [keyof typeof memory, number][]) {
      while (!state.isStopping && (await database.write((transaction) => deleteEnded(transaction, ended, clock.now() - keptMs))) > 0) await breathe();
    }
  }

  queue.watch({
    added: wake,
    cancelled: (id) => {
      for (const run of runs.values()) if (run.job.id === id) run.control.abort(lost);
    },
  });

  return {
    start() {
      state.timer ??= setInterval(wake, times.poll).unref();
      wake();
    },
    async stop() {
      state.isStopping = true;
      clearInterval(state.timer);
      await turn;
      for (const run of runs.values()) run.control.abort(stopping);
      await Promise.race([Promise.all([...runs.values()].map((run) => run.ended)), patience(times.stopPatience)]);
    },
  };
}

const lanes: readonly JobLane[] = ['media', 'light'];

function patience(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms).unref();
  return promise;
}
