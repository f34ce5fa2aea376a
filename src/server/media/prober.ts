import { Worker } from 'node:worker_threads';
import type { Probe } from './probe.ts';
import { unread } from './probe.ts';
import type { UnplayableReason } from './unplayable.ts';

/** The server is stopping: the file was not looked at. */
export class ProberClosed extends Error {}

export interface Prober {
  /**
   * @param file its absolute path, in the bytes of the file system
   * @throws ProberClosed
   */
  probe(file: Buffer): Promise<Probe>;
  close(): Promise<void>;
}

/** A file may cost so much work; most cost two milliseconds. */
const workMs = 2_000;
/** A disk that has to wake up may take so long; afterwards the file counts as unreadable, and is tried again by the next scan. */
const silenceMs = 30_000;
const lookEveryMs = 50;
const memoryMegabytes = 200;

/** `up` once its code is loaded, which it says by its first message: on a busy machine that takes longer than any file may. */
interface Thread {
  worker: Worker;
  up: Promise<boolean>;
}

/** Probes one file at a time in a thread that is thrown away when a file hangs it or eats its memory. */
export function createProber(options: { workMs?: number; script?: URL } = {}): Prober {
  const script = options.script ?? new URL('./probe-worker.ts', import.meta.url);
  let thread: Thread | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function probeAlone(file: Buffer): Promise<Probe> {
    if (isClosed) throw new ProberClosed();
    thread ??= startThread(script);
    const { worker, up } = thread;
    const answer = (await up) ? await ask(worker, file, options.workMs ?? workMs) : 'unreadable';
    if (typeof answer === 'object') return answer;
    // A thread that was ended with the server says nothing about the file.
    if (isClosed) throw new ProberClosed();
    await discard();
    return unread(answer);
  }

  async function discard(): Promise<void> {
    const worker = thread?.worker;
    thread = null;
    await worker?.terminate();
  }

  return {
    probe(file) {
      const turn = last.then(() => probeAlone(file));
      last = turn.catch(() => {});
      return turn;
    },
    close() {
      isClosed = true;
      return discard();
    },
  };
}

function startThread(script: URL): Thread {
  // No environment: it needs none, and under `node --watch` it would report its imports among its answers.
  const worker = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes }, stdout: true, stderr: true });
  worker.unref();
  // Also between questions: a thread that dies must not end the process.
  worker.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<boolean>();
  worker.once('message', () => resolve(true)).once('exit', () => resolve(false));
  return { worker, up: promise };
}

/** The answer, or why none is waited for any longer. */
function ask(worker: Worker, file: Buffer, mostWorkMs: number): Promise<Probe | UnplayableReason> {
  const { promise, resolve } = Promise.withResolvers<Probe | UnplayableReason>();
  const before = worker.performance.eventLoopUtilization();
  const onEnd = () => resolve('too_complex');
  const watch = setInterval(() => {
    if (worker.performance.eventLoopUtilization(before).active > mostWorkMs) resolve('too_complex');
  }, lookEveryMs);
  const silence = setTimeout(() => resolve('unreadable'), silenceMs);
  worker.on('message', resolve).on('error', onEnd).on('exit', onEnd);
  worker.postMessage({ file: Uint8Array.from(file) });
  return promise.finally(() => {
    clearInterval(watch);
    clearTimeout(silence);
    worker.off('message', resolve).off('error', onEnd).off('exit', onEnd);
  });
}
