import { sql } from 'kysely';
import type { Database } from '#server/database/connection.ts';
import type { Tables } from '#server/database/tables.ts';

/** Everything that stands in the database, as one text. */
export async function readTables({ reader, dialect }: Database): Promise<string> {
  // Kysely's introspection reads every schema of PostgreSQL, and fails when another test drops its own meanwhile.
  const { rows: tables } =
    dialect.kind === 'sqlite'
      ? await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(reader)
      : await sql<{
          name: string;
        }>`select tablename as name from pg_tables where schemaname = current_schema()`.execute(reader);
  const rows: unknown[] = [];
  for (const { name } of tables)
    rows.push(
      await reader
        .selectFrom(name as keyof Tables)
        .selectAll()
        .execute(),
    );
  return JSON.stringify(rows);
}
