import { sql } from 'kysely';
import type { Database } from '#server/database/connection.ts';
import type { Tables } from '#server/database/tables.ts';

/** Everything that stands in the database, as one text. */
export async function readTables({ reader, dialect }: Database): Promise<string> {
  const schema = dialect.kind === 'sqlite' ? undefined : await currentSchema(reader);
  const tables = (await reader.introspection.getTables()).filter((table) => table.schema === schema);
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

async function currentSchema(reader: Database['reader']): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(reader);
  return rows[0]?.name;
}
