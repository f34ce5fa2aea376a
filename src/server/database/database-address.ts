import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../env.ts';
import { databaseFileName } from '../folders.ts';
import type { DatabaseAddress } from './connection.ts';
import { rollbackGuardOf } from './damage.ts';

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
  databaseReadUrl,
  dataFolder,
}: Pick<Env, 'databaseUrl' | 'dataFolder'> & Partial<Pick<Env, 'databasePool' | 'databaseReadUrl'>>): DatabaseAddress {
  if (databaseUrl !== undefined)
    return { kind: 'postgres', url: databaseUrl, pool: databasePool, readUrl: databaseReadUrl };
  return { kind: 'sqlite', file: databaseFile(dataFolder) };
}

/** False if no SQLite file is or was there. Opening it would create one. */
export function mayHoldSite(address: DatabaseAddress): boolean {
  return address.kind === 'postgres' || [address.file, rollbackGuardOf(address.file)].some((file) => existsSync(file));
}

/** Describes a database for people: its file, or its host and name, without user or password. */
export function describePlace(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return address.file;
  const url = URL.parse(address.url);
  const place = url === null ? '' : `${url.searchParams.get('host') ?? url.host}${url.pathname}`;
  // An `@` left over means that the URL was parsed wrongly, and could contain the password.
  return place === '' || place.includes('@') ? 'PostgreSQL' : place;
}

export function databaseFile(dataFolder: string): string {
  return join(dataFolder, databaseFileName);
}
