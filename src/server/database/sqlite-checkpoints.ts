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
/** A thread takes some 25 MB of memory, and the twentieth of a second to start. */
export const idleThreadMs = 3_000;
/** A minute: what a thread died of is rarely over at once. */
const looksAfterDeath = 120;
/** 256 MiB of log: should the thread not come after, a commit does it. */
const lastResortPages = 65_536;

/** Commits leave the log to whoever schedules its checkpoints. */
export function deferCheckpoints(database: Sqlite.Database): void {
  database.pragma(`wal_autocheckpoint = ${lastResortPages}`);
}

/**
 * What was committed is moved from the log into the database file by a thread: within a commit, where SQLite does it by
 * itself, the whole process waits for the disk, for hundreds of milliseconds on a busy one. The thread is there while
 * the log is long. It is enough to do so for one connection: they share the log.
 */
export function scheduleCheckpoints(
  database: Sqlite.Database,
  file: string,
  onFault?: (error: unknown) => void,
): SqliteCheckpoints {
  let thread: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let looksToSkip = 0;

  function look(): void {
    const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    looksToSkip = Math.max(0, looksToSkip - 1);
    if (bytes < shortLogBytes || looksToSkip > 0 || countUnmovedBytes(database) < shortLogBytes) return;
    thread ??= startThread();
    thread.postMessage('checkpoint' satisfies CheckpointOrder);
    clearTimeout(idle);
    idle = setTimeout(() => thread?.postMessage('end' satisfies CheckpointOrder), idleThreadMs).unref();
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
      clearTimeout(idle);
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

/** The log keeps its length when it begins anew, so it says what was written, not what is still to be moved. */
function countUnmovedBytes(database: Sqlite.Database): number {
  // SQLite refuses to tell within a transaction; it is asked again in a moment.
  if (database.inTransaction) return 0;
  const [{ log, checkpointed }] = database.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
  return (log - checkpointed) * Number(database.pragma('page_size', { simple: true }));
}
