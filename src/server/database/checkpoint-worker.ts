import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

export type CheckpointOrder = 'checkpoint' | 'end';

/**
 * A thread with a handle of its own, which moves the log into the database file whenever it is told to; nobody waits
 * for it meanwhile.
 */
const database = new Sqlite(String(workerData), { fileMustExist: true, timeout: 0 });
database.pragma('synchronous = FULL');

parentPort?.on('message', (order: CheckpointOrder) => {
  if (order === 'end') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
  } catch {
    // Somebody else is at it, or the disk is full: the log grows until the next time.
  }
});
