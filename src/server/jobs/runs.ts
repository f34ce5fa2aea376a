import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Log } from '../log.ts';
import { attempt, stopping, surprise } from './attempt.ts';
import { endRun, releaseExpired, renewLease } from './claim-repository.ts';
import type { ClaimedJob, JobLane } from './job.ts';
import type { JobQueue } from './job-queue.ts';
import type { RunnerTimes } from './runner-times.ts';

/** The jobs that this process is working on. */
export interface Runs {
  countIn(lane: JobLane): number;
  /** @param onEnd after its end was written down */
  begin(job: ClaimedJob, lane: JobLane, onEnd: () => void): void;
  /**
   * Says of each that it is running, aborts those that were lost, and gives back to the queue what dead processes had.
   */
  beat(): Promise<void>;
  /** It was cancelled. */
  lose(jobId: string): void;
  /** Aborts all of them and what may still begin, and waits for their ends, but not for ever. */
  stop(): Promise<void>;
}

export interface RunsDeps {
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

export function createRuns({ queue, database, clock, log }: RunsDeps, times: RunnerTimes): Runs {
  const runs = new Map<string, Run>();
  let isStopping = false;

  /** @returns whether it is ours still */
  function renew({ job, progress }: Run): Promise<boolean> {
    return database.write((transaction) => renewLease(transaction, job, clock.now() + times.lease, progress));
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
      // First, so that whoever sees that it has failed finds what follows from that.
      if (ending.state === 'failed' && ending.error !== surprise && (await renew(run)))
        await queue.kind(job.kind)?.gaveUp?.(job, ending.error);
      await database.write((transaction) => endRun(transaction, job, ending, clock.now()));
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
      for (const run of [...runs.values()]) if (!(await renew(run))) run.control.abort(lost);
      const failed = await database.write((transaction) => releaseExpired(transaction, clock.now(), processEnded));
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
