import type { Tables } from '../database/tables.ts';

export type JobState = Tables['jobs']['state'];

/** Durable background work, which survives a restart. Instants are epoch milliseconds. */
export interface StoredJob {
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

/** A claimed job. The claim is lost once the stored lease is another one. */
export interface ClaimedJob extends StoredJob {
  lease: string;
}

/** A job to queue. A node has to have registered its `kind`. */
export interface NewJob {
  kind: string;
  /**
   * The object of the work. Of one kind and subject, only one job is queued or running at a time.
   */
  subject: string;
  videoNumber?: number;
  /** Any JSON value. */
  payload?: unknown;
  /**
   * Lower numbers run first. Work that a person waits for has a lower number than work in advance.
   */
  priority?: number;
  /** The kind's lane by default. */
  lane?: JobLane;
}

/** The argument of a job's function. */
export interface JobRun {
  job: StoredJob;
  /**
   * Aborts when the job is cancelled, its lease is lost, or the server stops. The run then has to
   * end soon and clean up after itself.
   */
  signal: AbortSignal;
  /** 0 to 100; stored with the next heartbeat. */
  report(progress: number): void;
}

/** A kind of job, with the function that does it. */
export interface JobKind {
  kind: string;
  /** The lane whose places these jobs share. */
  lane: JobLane;
  /** A second lane in which some of the jobs are queued. */
  otherLane?: JobLane;
  attemptsMax: number;
  /** Every run does the same work, so only the newest failed job is worth a retry. */
  isOneForAll?: boolean;
  /** Whether this node does such jobs at the moment; absent: always. It may always queue them. */
  isOffered?(): boolean;
  /** @throws JobFailure with a message for an admin; any other error is unexpected and is logged */
  run(run: JobRun): Promise<void>;
  /**
   * Called when the last attempt has failed with a `JobFailure` or its process has died. Called
   * again if the job's end could not be stored afterwards. Not called for unexpected errors, which
   * say nothing about the subject.
   */
  gaveUp?(job: StoredJob, error: string): Promise<void>;
}

/**
 * `media` is for work that uses a processor briefly, `encode` for work that uses it for minutes or
 * hours, `between` for work that a person waits for while encodings run.
 */
export type JobLane = 'media' | 'encode' | 'between' | 'light';

/** An expected failure of a job, with a message for an admin. A final failure is not retried. */
export class JobFailure extends Error {
  readonly isFinal: boolean;

  constructor(message: string, { isFinal = false } = {}) {
    super(message);
    this.isFinal = isFinal;
  }
}

/**
 * A job needs something that is unavailable at the moment: the job returns to the queue without
 * using up an attempt.
 */
export class JobPostponed extends Error {
  readonly delayMs: number;
  /** The lane to continue in, or null for the same one. */
  readonly lane: JobLane | null;

  constructor(delayMs: number, lane: JobLane | null = null) {
    super(`Postponed by ${delayMs} ms.`);
    this.delayMs = delayMs;
    this.lane = lane;
  }
}
