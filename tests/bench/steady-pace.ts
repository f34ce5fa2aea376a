/** Does something at a steady pace. @returns milliseconds from when each was due to when it was done */
export async function each(
  everyMs: number,
  signal: AbortSignal,
  work: (round: number) => Promise<void>,
): Promise<number[]> {
  const begun = performance.now();
  const running: Promise<number>[] = [];
  while (!signal.aborted) {
    for (let due = begun + running.length * everyMs; due <= performance.now(); due += everyMs) {
      running.push(work(running.length).then(() => performance.now() - due));
    }
    await pause(1);
  }
  return Promise.all(running);
}

export function pause(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  return promise;
}
