import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Ending } from './claim-repository.ts';
import type { Job, JobKind, JobRun } from './job.ts';
import { JobFailure, JobPostponed } from './job.ts';

export interface AttemptTools {
  clock: Clock;
  log: Log;
  /** Milliseconds to the next attempt, by how many there were. */
  retryDelay(attempts: number): number;
}

/** What is said of a failure that nobody expected. */
export const surprise = 'This went wrong in an unexpected way; the log says more.';

/** Why a run is aborted when the server stops. */
export const stopping = Symbol('stopping');

/** Does the work of a job once. It never throws: how it went is the answer. */
export async function attempt(kind: JobKind | undefined, run: JobRun, tools: AttemptTools): Promise<Ending> {
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

function endingOf(job: Job, thrown: unknown, { clock, log, retryDelay }: AttemptTools): Ending {
  const isExpected = thrown instanceof JobFailure;
  if (!isExpected) log.error({ err: thrown, job: job.id, kind: job.kind }, 'a job failed');
  const error = isExpected ? thrown.message : surprise;
  if ((isExpected && thrown.isFinal) || job.attempts >= job.attemptsMax) return { state: 'failed', error };
  return { state: 'queued', error, runAt: clock.now() + retryDelay(job.attempts), isAttempt: true };
}
