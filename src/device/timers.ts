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
