import { deviceDatabase } from './database/device-database.ts';

/**
 * Whether anything of anybody waits to be sent: small enough for the start, all else loads when it is needed.
 * @returns how many small changes (`outbox/`), and how many batches of files (`uploads/`) that are not over
 */
export function countWaiting(database = deviceDatabase): Promise<readonly number[]> {
  return database.run(
    (connection) =>
      Promise.all([
        connection.count('outbox'),
        // By their names, all states but `over` come up to this one.
        connection.countFromIndex('upload-batches', 'by-state', IDBKeyRange.upperBound('open')),
      ]),
    () => [],
  );
}
