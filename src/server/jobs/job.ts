import type { JobsTable } from '../database/tables/job-tables.ts';

export type JobState = JobsTable['state'];

/** A piece of work that survives a restart. Instants are epoch milliseconds. */
export interface Job {
  id: string;
  kind: string;
  lane: JobLane;
  subject: string;
  state: JobState;
  attempts: number;
  attemptsMax: number;
  progress: number;
  error: string | null;
  videoNumber: number | null;
  payload: unknown;
  createdAt: number;
  startedAt: number | null;
  finishedAt: number | null;
}

/** A job that was claimed. Whoever holds another lease has lost it. */
export interface ClaimedJob extends Job {
  lease: string;
}

/** What is to be done. `kind` has to be registered with the runner of some node. */
export interface NewJob {
  kind: string;
  /** What it is about; of one kind and subject, one job is queued or running at a time. */
  subject: string;
  videoNumber?: number;
  /** Anything that JSON can carry. */
  payload?: unknown;
  /** Lower goes first; what a person waits for goes before what nobody has asked for. */
  priority?: number;
  /** That of its kind where it is not given. */
  lane?: JobLane;
}

/** What a job's function is given while it runs. */
export interface JobRun {
  job: Job;
  /** Aborts when the job was cancelled, its lease was lost, or the server stops: end soon, and leave nothing behind. */
  signal: AbortSignal;
  /** 0 to 100; stored with the next heartbeat. */
  report(progress: number): void;
}

/** What a kind of job is. */
export interface JobKind {
  kind: string;
  /** Jobs of one lane share its places. */
  lane: JobLane;
  /** Some of its jobs are queued in that one. */
  otherLane?: JobLane;
  attemptsMax: number;
  /** One run does what every other would do: of those that failed, only the newest is worth another try. */
  isOneForAll?: boolean;
  /** @throws JobFailure with words for an admin; anything else is a surprise, and is logged */
  run(run: JobRun): Promise<void>;
  /**
   * Its last attempt has failed for a known reason, or has ended with the process that made it. Called again where the
   * job's end could not be written down after it. Not called for surprises, which say nothing about the subject.
   */
  gaveUp?(job: Job, error: string): Promise<void>;
}

/**
 * `media` is for what takes a processor for a moment, `encode` for what takes it for minutes or hours, `between` for
 * what somebody waits for meanwhile.
 */
export type JobLane = 'media' | 'encode' | 'between' | 'light';

/** Why a job did not succeed, in words for an admin. What is final is not tried again. */
export class JobFailure extends Error {
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false } = {}) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** What a job needs is not there at the moment: it goes back to the queue, and no attempt is used up. */
export class JobPostponed extends Error {
  readonly delayMs: number;
  /** Where it goes on; null: where it was. */
  readonly lane: JobLane | null;

  constructor(delayMs: number, lane: JobLane | null = null) {
    super(`Postponed by ${delayMs} ms.`);
    this.delayMs = delayMs;
    this.lane = lane;
  }
}
