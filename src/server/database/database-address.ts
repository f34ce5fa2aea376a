import { join } from 'node:path';
import type { Env } from '../env.ts';
import { databaseFileName } from '../folders.ts';
import type { DatabaseAddress } from './connection.ts';

/**
 * Whether a file of the data folder is the database, or one of its companions by SQLite or its
 * rollback guard.
 */
export function isDatabaseFile(name: string): boolean {
  return name.startsWith(databaseFileName);
}

/** PostgreSQL if it is configured, else the SQLite file in the data folder. */
export function databaseAddress({
  databaseUrl,
  databasePool,
  dataFolder,
}: Pick<Env, 'databaseUrl' | 'dataFolder'> & Partial<Pick<Env, 'databasePool'>>): DatabaseAddress {
  if (databaseUrl !== undefined) return { kind: 'postgres', url: databaseUrl, pool: databasePool };
  return { kind: 'sqlite', file: databaseFile(dataFolder) };
}

export function databaseFile(dataFolder: string): string {
  return join(dataFolder, databaseFileName);
}
