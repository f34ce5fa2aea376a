import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface NamedDatabase {
  name: string;
  url: string;
}

/**
 * Creates a database in a server of PostgreSQL.
 * @param template a database without sessions that it is copied from; an empty database without one
 */
export async function createDatabase(server: string, template = 'template1'): Promise<NamedDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying files takes a quarter of the time that writing each page to the log takes.
  await runOn(server, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  // Sessions of one test are told from those of another by this name.
  url.searchParams.set('application_name', name);
  return { name, url: url.href };
}

/** Removes a database and ends the sessions that are still open in it. */
export async function dropDatabase(server: string, name: string): Promise<void> {
  await runOn(server, `drop database if exists ${name} with (force)`);
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
