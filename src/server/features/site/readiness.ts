import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Database } from '../../database/connection.ts';
import { Unavailable } from '../../http/errors.ts';

/** @throws Unavailable while the database does not answer or the data folder cannot be used */
export async function checkReadiness(database: Database, dataFolder: string): Promise<void> {
  try {
    await database.ping();
    await access(dataFolder, constants.R_OK | constants.W_OK);
  } catch {
    throw new Unavailable('The database or the storage does not answer.');
  }
}
