import { Worker } from 'node:worker_threads';
import { compileCacheEnv } from '../folders.ts';
import { repeat } from '../repeat.ts';
import type { FilePath, FileReading } from './file-reading.ts';
import { unreadFile } from './file-reading.ts';
import type { ReadRequest } from './probe-worker.ts';
import type { UnplayableReason } from './unplayable.ts';

/** The server is stopping: the files were not looked at. */
export class ProberClosed extends Error {}

export interface Prober {
  /**
   * Some hundred files at once are read fastest. Calls wait for each other.
   * @returns one reading for each, in their order
   * @throws ProberClosed
   */
  read(files: readonly FilePath[]): Promise<FileReading[]>;
  close(): Promise<void>;
}

/**
 * A disk that has to wake up may take so long; afterwards the file counts as unreadable, and is tried again by the next
 * scan.
 */
const silenceMs = 30_000;
const memoryMegabytes = 200;
/**
 * After so many of them in one call its disk counts as gone, and its other files as unreadable: each one would leave a
 * thread behind that cannot end.
 */
const maxSilences = 3;

/**
 * `up` once its code is loaded, which it says by its first message: on a busy machine that takes longer than any file
 * may.
 */
interface Thread {
  worker: Worker;
  up: Promise<boolean>;
}

/**
 * A thread that has had nothing to read for so long is ended: its memory is worth more than the tenth of a second that
 * a new one takes.
 */
export const idleThreadMs = 3_000;

/**
 * Reads files in a thread that is thrown away when a file hangs it or eats its memory, and when nothing has to be read.
 */
export function createProber(options: { silenceMs?: number; script?: URL } = {}): Prober {
  const script = options.script ?? new URL('./probe-worker.ts', import.meta.url);
  let thread: Thread | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  let calls = 0;
  let idle: NodeJS.Timeout | undefined;

  async function readTogether(files: readonly FilePath[], silencesLeft = maxSilences): Promise<FileReading[]> {
    if (isClosed) throw new ProberClosed();
    if (files.length === 0 || silencesLeft === 0) return files.map(() => unreadFile('unreadable'));
    thread ??= startThread(script);
    const { worker, up } = thread;
    const answer = (await up)
      ? await ask(worker, files, options.silenceMs ?? silenceMs)
      : { reason: 'unreadable' as const, at: 0 };
    if (Array.isArray(answer)) return answer;
    // A thread that was ended with the server says nothing about the file.
    if (isClosed) throw new ProberClosed();
    discard();
    return readAround(files, answer, silencesLeft);
  }

  /** One file took the thread with it: the others are asked for again. */
  async function readAround(
    files: readonly FilePath[],
    { reason, at }: Failure,
    silencesLeft: number,
  ): Promise<FileReading[]> {
    const before = await readTogether(files.slice(0, at), silencesLeft);
    const after = await readTogether(files.slice(at + 1), reason === 'unreadable' ? silencesLeft - 1 : silencesLeft);
    return [...before, unreadFile(reason), ...after];
  }

  function begin(): void {
    calls += 1;
    clearTimeout(idle);
  }

  function end(): void {
    calls -= 1;
    if (calls === 0 && !isClosed) idle = setTimeout(discard, idleThreadMs).unref();
  }

  /**
   * Its end is not waited for: while a disk keeps it waiting, it cannot end. One that is ended while it loads can take
   * the process with it.
   */
  async function discard(): Promise<void> {
    const discarded = thread;
    thread = null;
    await discarded?.up;
    await discarded?.worker.terminate();
  }

  return {
    read(files) {
      begin();
      const turn = last.then(() => readTogether(files)).finally(end);
      last = turn.catch(() => {});
      return turn;
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await discard();
    },
  };
}

function startThread(script: URL): Thread {
  const worker = new Worker(script, {
    // Under `node --watch` a thread would report its imports among its answers.
    env: compileCacheEnv(),
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  // Also between questions: a thread that dies must not end the process.
  worker.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<boolean>();
  worker.once('message', () => resolve(true)).once('exit', () => resolve(false));
  return { worker, up: promise };
}

/** Which file ended the reading, by its place, and why. */
interface Failure {
  reason: UnplayableReason;
  at: number;
}

/** The answer, or why none is waited for any longer. */
function ask(worker: Worker, files: readonly FilePath[], maxSilenceMs: number): Promise<FileReading[] | Failure> {
  const { promise, resolve } = Promise.withResolvers<FileReading[] | Failure>();
  const done = new Int32Array(new SharedArrayBuffer(4));
  const fail = (reason: UnplayableReason) => resolve({ reason, at: Math.min(Atomics.load(done, 0), files.length - 1) });
  const onEnd = () => fail('too_complex');
  let seen = 0;
  const watch = repeat(() => {
    const now = Atomics.load(done, 0);
    if (now === seen) fail('unreadable');
    seen = now;
  }, maxSilenceMs);
  worker.on('message', resolve).on('error', onEnd).on('exit', onEnd);
  // Copied, because a view would take all of the memory with it that it looks at.
  const paths = files.map((file) => (typeof file === 'string' ? file : Uint8Array.from(file)));
  worker.postMessage({ files: paths, done } satisfies ReadRequest);
  return promise.finally(() => {
    watch.stop();
    worker.off('message', resolve).off('error', onEnd).off('exit', onEnd);
  });
}
