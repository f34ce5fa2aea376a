import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Database } from '../../database/connection.ts';
import { DatabaseDamaged } from '../../database/damage.ts';
import { Unavailable } from '../../http/pipeline/errors.ts';

/** @throws Unavailable while the database does not answer or can only be read, or the data folder cannot be used */
export async function checkReadiness(database: Database, dataFolder: string): Promise<void> {
  try {
    await database.ping();
    await access(dataFolder, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (error instanceof DatabaseDamaged) throw new Unavailable('The database is damaged or gone; the log says more.');
    throw new Unavailable('The database or the storage does not answer.');
  }
}
