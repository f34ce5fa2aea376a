import { Worker } from 'node:worker_threads';
import type { LibraryNews, LibraryOrder, LibraryThreadData } from './library-messages.ts';

/** The library's thread as the rest of the server sees it. */
export interface LibraryThread {
  /** Starts the thread when it does not run. */
  send(order: LibraryOrder): void;
  /** Lets it finish its slice; one that does not come to an end is ended. */
  stop(): Promise<void>;
}

export interface LibraryThreadDeps {
  data: LibraryThreadData;
  onNews(news: LibraryNews): void;
  /**
   * It ended by itself: orders sent before are not done, those sent from now on go to another one.
   * @param error what it died of, where that is known
   */
  onEnd(error: Error | null): void;
  /** How long it may take to stop. */
  patienceMs?: number;
}

const patienceMs = 3_000;
/** Paths of a folder of some hundred thousand files, and what waits to be written. */
const memoryMegabytes = 512;

export function createLibraryThread({ data, onNews, onEnd, ...more }: LibraryThreadDeps): LibraryThread {
  let thread: { worker: Worker; ended: Promise<void> } | null = null;
  let isStopping = false;

  function start(): Worker {
    const worker = new Worker(new URL('./library-thread.ts', import.meta.url), {
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
    });
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const end = (error: Error | null) => {
      if (thread?.worker !== worker) return;
      thread = null;
      if (!isStopping) onEnd(error);
    };
    worker.unref();
    worker
      // Under `node --watch` a thread reports its imports, too.
      .on('message', (news: Partial<LibraryNews>) => news.kind !== undefined && onNews(news as LibraryNews))
      // It receives nothing any more, though its 'exit' comes later.
      .on('error', end)
      .once('exit', () => {
        end(null);
        resolve();
      });
    thread = { worker, ended };
    return worker;
  }

  return {
    send(order) {
      if (isStopping) return;
      try {
        (thread?.worker ?? start()).postMessage(order);
      } catch (error) {
        // No memory or no descriptors for a thread: the same as one that died at once.
        onEnd(error as Error);
      }
    },
    async stop() {
      isStopping = true;
      if (thread === null) return;
      const { worker, ended } = thread;
      worker.ref();
      worker.postMessage({ kind: 'stop' } satisfies LibraryOrder);
      const patience = setTimeout(() => void worker.terminate(), more.patienceMs ?? patienceMs);
      await ended;
      clearTimeout(patience);
    },
  };
}
