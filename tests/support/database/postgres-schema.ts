import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * On PostgreSQL a database is a schema that stands alone in its search path: a database of its own takes a third of a
 * second to make.
 */
export async function inNewSchema(server: string, script = ''): Promise<{ name: string; url: string }> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOn(server, `create schema ${name}; set search_path to ${name}; ${script}`);
  const url = new URL(server);
  url.searchParams.set('options', `-c search_path=${name}`);
  // Its sessions are told from those of other tests by it.
  url.searchParams.set('application_name', name);
  return { name, url: url.href };
}

export async function runOn(url: string, statements: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
