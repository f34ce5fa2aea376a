import { deviceDatabase } from './database/device-database.ts';

/**
 * Whether anything of anybody waits to be sent: small enough for the start, all else loads when it is needed.
 * @returns how many small changes (`outbox/`), and how many batches of files (`uploads/`)
 */
export function countWaiting(database = deviceDatabase): Promise<readonly number[]> {
  return database.run(
    (connection) => Promise.all([connection.count('outbox'), connection.count('upload-batches')]),
    () => [],
  );
}
