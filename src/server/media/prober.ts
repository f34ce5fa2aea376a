import { Worker } from 'node:worker_threads';
import type { Probe } from './probe.ts';
import { unread } from './probe.ts';

export interface Prober {
  /** @param file its absolute path, in the bytes of the file system */
  probe(file: Buffer): Promise<Probe>;
  close(): Promise<void>;
}

const patienceMs = 5_000;
const memoryMegabytes = 200;

/** Probes one file at a time in a thread that is thrown away when a file hangs it or eats its memory. */
export function createProber(options: { patienceMs?: number; script?: URL } = {}): Prober {
  const script = options.script ?? new URL('./probe-worker.ts', import.meta.url);
  const state: { worker: Worker | null; last: Promise<unknown> } = { worker: null, last: Promise.resolve() };

  function workerAtHand(): Worker {
    if (state.worker !== null) return state.worker;
    const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes }, stdout: true, stderr: true });
    worker.unref();
    // Also after its last question: a thread that dies must not end the process.
    worker.on('error', () => {});
    state.worker = worker;
    return worker;
  }

  async function discard(worker: Worker): Promise<void> {
    if (state.worker === worker) state.worker = null;
    await worker.terminate();
  }

  async function probeAlone(file: Buffer): Promise<Probe> {
    const worker = workerAtHand();
    const answer = await ask(worker, file, options.patienceMs ?? patienceMs);
    if (answer !== null) return answer;
    await discard(worker);
    return unread('too_complex');
  }

  return {
    probe(file) {
      const turn = state.last.then(() => probeAlone(file));
      state.last = turn.catch(() => {});
      return turn;
    },
    async close() {
      if (state.worker !== null) await discard(state.worker);
    },
  };
}

/** Null when the thread died or did not answer in time. */
function ask(worker: Worker, file: Buffer, limitMs: number): Promise<Probe | null> {
  const { promise, resolve } = Promise.withResolvers<Probe | null>();
  const onAnswer = (answer: Probe) => resolve(answer);
  const onEnd = () => resolve(null);
  const timer = setTimeout(onEnd, limitMs);
  worker.on('message', onAnswer).on('error', onEnd).on('exit', onEnd);
  worker.postMessage({ file: Uint8Array.from(file) });
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', onAnswer).off('error', onEnd).off('exit', onEnd);
  });
}
