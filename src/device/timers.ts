/** The time of day in epoch milliseconds. */
export function now(): number {
  return Date.now();
}

/** Runs once after `ms`. Returns what cancels it. */
export function after(ms: number, run: () => void): () => void {
  const id = setTimeout(run, ms);
  return () => clearTimeout(id);
}
