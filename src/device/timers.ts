import { limits } from '#contract/limits.ts';

/** The current time in epoch milliseconds. */
export function now(): number {
  return Date.now();
}

/** Runs once after `ms`. Returns a function that cancels it. */
export function after(ms: number, run: () => void): () => void {
  const id = setTimeout(run, ms);
  return () => clearTimeout(id);
}

/** Runs every `ms`. Returns a function that cancels it. */
export function every(ms: number, run: () => void): () => void {
  const id = setInterval(run, ms);
  return () => clearInterval(id);
}

/**
 * A signal that aborts after `ms` (`AbortSignal.timeout` is younger than the oldest engine). `done`
 * clears the timer.
 */
export function timeLimit(ms: number): { signal: AbortSignal; done: () => void } {
  const limit = new AbortController();
  return { signal: limit.signal, done: after(ms, () => limit.abort()) };
}

/**
 * Milliseconds until the next attempt: 1 s, doubled after each failure, up to
 * `outboxRetryMaxSeconds`; up to a half is added, so that many devices do not return at once.
 * @param failures since the last success, from 1
 * @param chance 0 to 1, at random
 */
export function retryWaitMs(failures: number, chance: number): number {
  const seconds = Math.min(limits.outboxRetryMaxSeconds, 2 ** Math.min(failures - 1, 10));
  return seconds * 1000 * (1 + chance / 2);
}

/** The longest wait that a server can ask for, which is longer than any of the device's own. */
const askedMaxSeconds = 3_600;

/**
 * Milliseconds until a moment at which something is tried again; 0 when it has come. A moment
 * beyond the longest wait was set before the clock was set back, and has come, too.
 */
export function msUntil(moment: number): number {
  const ms = moment - now();
  return ms > 0 && ms <= askedMaxSeconds * 1000 ? ms : 0;
}

/**
 * Runs at the first of the moments that have not come. Returns a function that cancels it.
 */
export function atNext(moments: readonly number[], run: () => void): () => void {
  const waits = moments.map(msUntil).filter((ms) => ms > 0);
  return waits.length > 0 ? after(Math.min(...waits), run) : () => {};
}

/**
 * The wait in milliseconds that a `Retry-After` header asks for. The header is in seconds (RFC
 * 9110); our server sends no dates.
 * @returns null when it asks for none
 */
export function readRetryAfter(header: string | null | undefined): number | null {
  const seconds = header ? Number(header) : Number.NaN;
  return seconds >= 0 ? Math.min(seconds, askedMaxSeconds) * 1000 : null;
}
