import { deviceDatabase } from '../database/device-database.ts';

/** Whether anything of anybody is stored. Small enough for the start; all else of the outbox loads when it is needed. */
export function isOutboxEmpty(database = deviceDatabase): Promise<boolean> {
  return database.run(
    async (connection) => (await connection.count('outbox')) === 0,
    () => true,
  );
}
