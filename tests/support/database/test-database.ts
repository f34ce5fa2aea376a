import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { DatabaseAddress } from '#server/database/connection.ts';
import { databaseFileName } from '#server/folders.ts';
import type { AtEnd } from '../temporary-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { inNewSchema, runOn } from './postgres-schema.ts';

/**
 * Which database the server tests of this project run on; with a file that is migrated, or the script that migrates an
 * empty schema.
 */
export type TestDatabase = { kind: 'sqlite'; migrated: string } | { kind: 'postgres'; url: string; migrations: string };

declare module 'vitest' {
  interface ProvidedContext {
    database: TestDatabase;
  }
}

/** A new, empty database that goes at the end. */
export async function freshDatabase(atEnd: AtEnd = onTestFinished): Promise<DatabaseAddress> {
  const database = inject('database');
  if (database.kind === 'postgres') return { kind: 'postgres', url: await newDatabase(database.url, '', atEnd) };
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
    return { DATA_DIR: folder, DATABASE_URL: await newDatabase(database.url, database.migrations, atEnd) };
  copyFileSync(database.migrated, join(folder, databaseFileName));
  return { DATA_DIR: folder };
}

async function newDatabase(server: string, script: string, atEnd: AtEnd): Promise<string> {
  const { name, url } = await inNewSchema(server, script);
  atEnd(() => runOn(server, `drop schema if exists ${name} cascade`));
  return url;
}
