import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

export type CheckpointOrder = 'checkpoint' | 'end';

/**
 * This thread has its own handle and moves the log into the database file on request, while other
 * threads go on.
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
    // Another connection is moving it, or the disk is full: the log grows until the next
    // checkpoint.
  }
});
