import { once } from 'node:events';
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import type { CheckpointOrder } from './checkpoint-worker.ts';

/** Keeps the log short. */
export interface SqliteCheckpoints {
  stop(): Promise<void>;
}

const lookEveryMs = 500;
const shortLogBytes = 4 * 1_048_576;
/** 256 MiB of log: should the thread not come after, a commit does it. */
const lastResortPages = 65_536;

/**
 * What was committed is moved from the log into the database file by a thread: within a commit, where SQLite does it by itself, the whole
 * process waits for the disk, for hundreds of milliseconds on a busy one. The thread is there from the first time that it is needed.
 */
export function keepCheckpoints(database: Sqlite.Database, file: string): SqliteCheckpoints {
  let thread: Worker | null = null;
  database.pragma(`wal_autocheckpoint = ${lastResortPages}`);

  function look(): void {
    const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes < shortLogBytes) return;
    thread ??= startThread();
    thread.postMessage('checkpoint' satisfies CheckpointOrder);
  }

  function startThread(): Worker {
    const worker = new Worker(new URL('checkpoint-worker.ts', import.meta.url), { workerData: file });
    worker.on('error', () => {
      thread = null;
    });
    worker.unref();
    return worker;
  }

  const timer = setInterval(look, lookEveryMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      if (thread === null) return;
      const ended = once(thread, 'exit');
      thread.ref();
      // It ends by itself: to end it while it loads the driver would end the process.
      thread.postMessage('end' satisfies CheckpointOrder);
      await ended;
    },
  };
}
