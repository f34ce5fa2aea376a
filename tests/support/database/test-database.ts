import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { DatabaseAddress } from '#server/database/connection.ts';
import { databaseFileName } from '#server/folders.ts';
import type { AtEnd } from '../temporary-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { createDatabase, dropDatabase } from './postgres-database.ts';

/**
 * The database that the server tests of this project run on. `migrated` is the file (SQLite) or the name of the
 * database (PostgreSQL) that is copied for each test.
 */
export type TestDatabase = { kind: 'sqlite'; migrated: string } | { kind: 'postgres'; url: string; migrated: string };

declare module 'vitest' {
  interface ProvidedContext {
    database: TestDatabase;
  }
}

/** A new, empty database that goes at the end. */
export async function freshDatabase(atEnd: AtEnd = onTestFinished): Promise<DatabaseAddress> {
  const database = inject('database');
  if (database.kind === 'postgres') return { kind: 'postgres', url: await newDatabase(database.url, atEnd) };
  return { kind: 'sqlite', file: join(temporaryFolder(atEnd), databaseFileName) };
}

/** One that is migrated: to migrate takes most of the time of many tests. */
export async function migratedDatabase(atEnd: AtEnd = onTestFinished): Promise<DatabaseAddress> {
  const { DATA_DIR: folder, DATABASE_URL: url } = await migratedSite(atEnd);
  return url === undefined ? { kind: 'sqlite', file: join(folder, databaseFileName) } : { kind: 'postgres', url };
}

/** Variables of a server, or of several of one site, whose database is migrated. */
export async function migratedSite(
  atEnd: AtEnd = onTestFinished,
): Promise<{ DATA_DIR: string; DATABASE_URL?: string }> {
  const folder = temporaryFolder(atEnd);
  const database = inject('database');
  if (database.kind === 'postgres')
    return { DATA_DIR: folder, DATABASE_URL: await newDatabase(database.url, atEnd, database.migrated) };
  copyFileSync(database.migrated, join(folder, databaseFileName));
  return { DATA_DIR: folder };
}

async function newDatabase(server: string, atEnd: AtEnd, template?: string): Promise<string> {
  const { name, url } = await createDatabase(server, template);
  atEnd(() => dropDatabase(server, name));
  return url;
}
