import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { AtEnd } from './temporary-folder.ts';

/** Which database the server tests of this project run on. */
export type TestDatabase = { kind: 'sqlite' } | { kind: 'postgres'; url: string };

declare module 'vitest' {
  interface ProvidedContext {
    database: TestDatabase;
  }
}

/**
 * The address of a new, empty database that goes at the end; undefined for SQLite, which makes its own file. On PostgreSQL it is a schema that
 * stands alone in its search path: a database of its own takes a third of a second to make.
 */
export async function freshDatabaseUrl(atEnd: AtEnd = onTestFinished): Promise<string | undefined> {
  const database = inject('database');
  if (database.kind === 'sqlite') return undefined;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOn(database.url, `create schema ${name}`);
  atEnd(() => runOn(database.url, `drop schema if exists ${name} cascade`));
  const url = new URL(database.url);
  url.searchParams.set('options', `-c search_path=${name}`);
  return url.href;
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
