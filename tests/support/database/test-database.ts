import { inject, onTestFinished } from 'vitest';
import type { AtEnd } from '../temporary-folder.ts';
import { inNewSchema, runOn } from './postgres-schema.ts';

/**
 * Which database the server tests of this project run on; for PostgreSQL with the script that migrates an empty schema.
 */
export type TestDatabase = { kind: 'sqlite' } | { kind: 'postgres'; url: string; migrations: string };

declare module 'vitest' {
  interface ProvidedContext {
    database: TestDatabase;
  }
}

/** The address of a new, empty database that goes at the end; undefined for SQLite, which makes its own file. */
export async function freshDatabaseUrl(atEnd: AtEnd = onTestFinished): Promise<string | undefined> {
  const database = inject('database');
  return database.kind === 'sqlite' ? undefined : newDatabase(database.url, '', atEnd);
}

/** The same, migrated already on PostgreSQL, where it takes longest. What is about migrating wants an empty one. */
export async function migratedDatabaseUrl(atEnd: AtEnd = onTestFinished): Promise<string | undefined> {
  const database = inject('database');
  return database.kind === 'sqlite' ? undefined : newDatabase(database.url, database.migrations, atEnd);
}

async function newDatabase(server: string, script: string, atEnd: AtEnd): Promise<string> {
  const { name, url } = await inNewSchema(server, script);
  atEnd(() => runOn(server, `drop schema if exists ${name} cascade`));
  return url;
}
