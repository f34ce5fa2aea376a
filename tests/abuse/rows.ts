import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import type { Target } from './target.ts';

/** The file of the product's database, for whoever opens it beside the product. */
export function databaseFile({ dataFolder }: Pick<Target, 'dataFolder'>): string {
  return join(dataFolder, 'fourfold.sqlite');
}

/** Counts as an operator would, beside the product. */
export async function countRows(target: Target, table: string): Promise<number> {
  const statement = `select count(*) as count from ${table}`;
  if (target.databaseUrl === null) {
    const database = new Sqlite(databaseFile(target), { readonly: true });
    try {
      return Number(database.prepare(statement).pluck().get());
    } finally {
      database.close();
    }
  }
  const client = new pg.Client(target.databaseUrl);
  await client.connect();
  try {
    return Number((await client.query<{ count: string }>(statement)).rows[0]?.count);
  } finally {
    await client.end();
  }
}
