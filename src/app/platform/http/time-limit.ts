import { limits } from '#contract/limits.ts';
import { after, now } from '#device/timers.ts';
import { recovered } from '../link.ts';

/** No answer came within the limit. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

interface Limit {
  seconds: number;
  /** The caller's signal, which ends the wait at once. */
  signal?: AbortSignal | undefined;
  /**
   * True when a request may be sent twice: one that is unanswered for `unansweredSeconds` is sent
   * again when the network recovers, with a new limit.
   */
  isRepeatable?: boolean;
}

/**
 * Waits for an answer no longer than the limit, even if `run` ignores its signal.
 * @throws Unanswered after the limit, an `AbortError` when the caller's signal aborts, else what
 * `run` throws
 */
export function withinLimit<Result>(limit: Limit, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  return new Promise<Result>((resolve, reject) => new LimitedRun(limit, run, resolve, reject).start());
}

/** The attempts of one limited wait, until one of them settles it. */
class LimitedRun<Result> {
  private readonly limit: Limit;
  private readonly run: (signal: AbortSignal) => Promise<Result>;
  private readonly resolve: (result: Result) => void;
  private readonly reject: (reason: unknown) => void;
  private attempt = new AbortController();
  /** Epoch milliseconds. */
  private startedAt = 0;
  private cancelTimer = () => {};
  private stopListening = () => {};

  constructor(
    limit: Limit,
    run: (signal: AbortSignal) => Promise<Result>,
    resolve: (result: Result) => void,
    reject: (reason: unknown) => void,
  ) {
    this.limit = limit;
    this.run = run;
    this.resolve = resolve;
    this.reject = reject;
  }

  start(): void {
    const stopRecovered = recovered.listen(() => this.repeatIfOverdue());
    const { signal } = this.limit;
    const onAbort = () => this.giveUp(new DOMException('The caller gave up.', 'AbortError'));
    signal?.addEventListener('abort', onAbort);
    this.stopListening = () => {
      stopRecovered();
      signal?.removeEventListener('abort', onAbort);
    };
    this.startAttempt();
  }

  private startAttempt(): void {
    const { attempt, limit } = this;
    this.startedAt = now();
    this.cancelTimer = after(limit.seconds * 1000, () => this.giveUp(new Unanswered()));
    if (limit.signal?.aborted) attempt.abort();
    this.run(attempt.signal).then(
      (result) => this.end(attempt, () => this.resolve(result)),
      (error) => this.end(attempt, () => this.reject(error)),
    );
  }

  private repeatIfOverdue(): void {
    if (!this.limit.isRepeatable || now() - this.startedAt < limits.unansweredSeconds * 1000) return;
    const overdue = this.attempt;
    this.cancelTimer();
    this.attempt = new AbortController();
    overdue.abort();
    this.startAttempt();
  }

  /** Rejects the wait, and aborts the attempt, which frees its connection. */
  private giveUp(reason: Error): void {
    const { attempt } = this;
    this.end(attempt, () => this.reject(reason));
    attempt.abort();
  }

  /** Settles the wait. The outcome of an attempt that was replaced by another one is ignored. */
  private end(attempt: AbortController, decide: () => void): void {
    if (attempt !== this.attempt) return;
    this.cancelTimer();
    this.stopListening();
    decide();
  }
}

/**
 * Loads a part of the app. A file that does not arrive within the limit of a call counts as failed.
 * @throws Unanswered, or what `load` throws
 */
export function loadWithinLimit<Part>(load: () => Promise<Part>): Promise<Part> {
  return withinLimit({ seconds: limits.callTimeoutSeconds }, load);
}

/**
 * Sends one request that is not a call of the contract: it carries no token.
 * @throws Unanswered after the limit, or what `fetch` throws
 */
export function fetchWithinLimit(address: string, options: RequestInit, seconds: number): Promise<Response> {
  return withinLimit({ seconds }, (signal) => fetch(address, { ...options, signal }));
}
