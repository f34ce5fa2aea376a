import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import { repeat } from '../repeat.ts';
import type { CheckpointOrder } from './checkpoint-worker.ts';

/** Keeps the log short. */
export interface SqliteCheckpoints {
  stop(): Promise<void>;
}

const lookEveryMs = 500;
const shortLogBytes = 4 * 1_048_576;
/** A minute: what a thread died of is rarely over at once. */
const looksAfterDeath = 120;
/** 256 MiB of log: should the thread not come after, a commit does it. */
const lastResortPages = 65_536;

/**
 * What was committed is moved from the log into the database file by a thread: within a commit, where SQLite does it by
 * itself, the whole process waits for the disk, for hundreds of milliseconds on a busy one. The thread is there from
 * the first time that it is needed.
 */
export function scheduleCheckpoints(
  database: Sqlite.Database,
  file: string,
  onFault?: (error: unknown) => void,
): SqliteCheckpoints {
  let thread: Worker | null = null;
  let looksToSkip = 0;
  database.pragma(`wal_autocheckpoint = ${lastResortPages}`);

  function look(): void {
    const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    looksToSkip = Math.max(0, looksToSkip - 1);
    if (bytes < shortLogBytes || looksToSkip > 0) return;
    thread ??= startThread();
    thread.postMessage('checkpoint' satisfies CheckpointOrder);
  }

  function startThread(): Worker {
    const worker = new Worker(new URL('checkpoint-worker.ts', import.meta.url), { workerData: file });
    const end = () => {
      thread = null;
    };
    worker.once('exit', end).on('error', (error) => {
      looksToSkip = looksAfterDeath;
      onFault?.(error);
    });
    worker.unref();
    return worker;
  }

  const looking = repeat(look, lookEveryMs, onFault);
  return {
    async stop() {
      looking.stop();
      if (thread === null) return;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      thread.once('exit', () => resolve());
      thread.ref();
      // It ends by itself: to end it while it loads the driver would end the process.
      thread.postMessage('end' satisfies CheckpointOrder);
      await ended;
    },
  };
}
