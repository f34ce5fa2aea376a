import { Worker } from 'node:worker_threads';
import { compileCacheEnv } from '../folders.ts';

/** Several hundred times as long as the largest file takes. */
const convertingMs = 30_000;
const memoryMegabytes = 200;
/** A thread is ended after this long without work. */
const idleMs = 3_000;

/** A request to the thread. */
export interface TextToConvert {
  bytes: Uint8Array;
  language: string | null;
}

/** A worker thread. `up` resolves to true with its first message, once its code is loaded. */
interface Thread {
  worker: Worker;
  up: Promise<boolean>;
}

/**
 * Converts subtitle files to sanitized WebVTT, one at a time, in a worker thread that ends when
 * idle.
 */
export class SubtitleConverter {
  private thread: Thread | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private waiting = 0;
  private idle: NodeJS.Timeout | undefined;

  /**
   * @param language of the text, if known
   * @returns null if the conversion takes too long, or too much memory
   * @throws the signal's reason when it aborts
   */
  convert(bytes: Buffer, signal: AbortSignal, language: string | null = null): Promise<Buffer | null> {
    clearTimeout(this.idle);
    this.waiting += 1;
    const turn = this.last.then(() => this.take({ bytes, language }, signal)).finally(() => this.endTurn());
    this.last = turn.catch(() => {});
    return turn;
  }

  private async take(text: TextToConvert, signal: AbortSignal): Promise<Buffer | null> {
    signal.throwIfAborted();
    this.thread ??= startThread();
    const { worker, up } = this.thread;
    if (!(await up)) {
      this.thread = null;
      throw new Error('No thread could be started that converts subtitles.');
    }
    const vtt = await ask(worker, text, signal);
    if (vtt === null) this.discard();
    signal.throwIfAborted();
    return vtt;
  }

  private endTurn(): void {
    this.waiting -= 1;
    if (this.waiting === 0) this.idle = setTimeout(() => this.discard(), idleMs).unref();
  }

  private discard(): void {
    void this.thread?.worker.terminate();
    this.thread = null;
  }
}

function startThread(): Thread {
  const worker = new Worker(new URL('./convert-worker.ts', import.meta.url), {
    env: compileCacheEnv(),
    resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  // The listener stays between files too: an unhandled error of a thread would end the process.
  worker.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<boolean>();
  worker.once('message', () => resolve(true)).once('exit', () => resolve(false));
  return { worker, up: promise };
}

async function ask(worker: Worker, { bytes, language }: TextToConvert, signal: AbortSignal): Promise<Buffer | null> {
  const { promise, resolve } = Promise.withResolvers<Buffer | null>();
  const onAnswer = (vtt: Uint8Array<ArrayBuffer>) => resolve(Buffer.from(vtt.buffer));
  const onEnd = () => resolve(null);
  const limit = setTimeout(onEnd, convertingMs).unref();
  worker.once('message', onAnswer).once('error', onEnd).once('exit', onEnd);
  signal.addEventListener('abort', onEnd);
  const sent = Uint8Array.from(bytes);
  worker.postMessage({ bytes: sent, language } satisfies TextToConvert, [sent.buffer]);
  try {
    return await promise;
  } finally {
    clearTimeout(limit);
    worker.off('message', onAnswer).off('error', onEnd).off('exit', onEnd);
    signal.removeEventListener('abort', onEnd);
  }
}
