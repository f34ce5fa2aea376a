import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { migrations } from '#server/database/migrations.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { freshDatabase } from '#tests/support/database/test-database.ts';
import { isWholeSoak, soakCases, soakGaps, soakSeed } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

async function using<T>(address: DatabaseAddress, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(address);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Tables, columns, types, indexes and the ledger, as text. */
async function describeSchema({ reader, dialect }: Database): Promise<string> {
  const parts =
    dialect.kind === 'sqlite'
      ? sql`select sql as part from sqlite_master`
      : // The views of `information_schema` look at every schema of the server first.
        sql`select relname || attname || format_type(atttypid, atttypmod) || attnotnull as part from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = current_schema()::regnamespace and relkind = 'r' and attnum > 0 union all select replace(pg_get_indexdef(indexrelid), current_schema() || '.', '') from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = current_schema()::regnamespace`;
  const { rows } = await sql<{ part: string | null }>`select part from (${parts}) as parts order by part`.execute(
    reader,
  );
  const hasLedger = rows.some(({ part }) => part?.includes('migrations'));
  const ledger = hasLedger ? await reader.selectFrom('migrations').select('name').orderBy('name').execute() : [];
  return JSON.stringify([rows, hasLedger ? ledger : []]);
}

/** Nothing at all, the ledger alone, and what stands after each migration. */
async function soundSchemas(): Promise<string[]> {
  return using(await freshDatabase(), async (database) => {
    const schemas = [await describeSchema(database)];
    for (let count = 0; count <= migrations.length; count += 1) {
      await migrate(database, systemClock, migrations.slice(0, count));
      schemas.push(await describeSchema(database));
    }
    return schemas;
  });
}

/**
 * Migrates until just before a statement, where everything ends as by SIGKILL. @returns what is left; null when there
 * is no such statement
 */
async function cutAt(address: DatabaseAddress, statement: number): Promise<DatabaseAddress | null> {
  let left: DatabaseAddress | null = null;
  const database = openDatabase(address);
  const stopCounting = watchStatements((sent, client) => {
    if (sent !== statement) return;
    left = client === null ? copyOf(address) : address;
    (client as { connection?: { stream: { destroy(): void } } } | null)?.connection?.stream.destroy();
    throw new Error('killed');
  });
  await migrate(database, systemClock).catch(() => {});
  stopCounting();
  await database.close().catch(() => {});
  return left;
}

/** What stands in the files at this moment is what a killed process leaves. */
function copyOf(address: DatabaseAddress): DatabaseAddress {
  if (address.kind !== 'sqlite') return address;
  const file = join(temporaryFolder(), 'left.sqlite');
  for (const end of ['', '-wal', '-begun'])
    if (existsSync(`${address.file}${end}`)) copyFileSync(`${address.file}${end}`, `${file}${end}`);
  return { kind: 'sqlite', file };
}

test('a migration that is cut off before any of its statements leaves the schema of before or after, and is then completed', async () => {
  const sound = await soundSchemas();
  const seen = new Set<string>();
  let address = await freshDatabase();
  let before = sound[0];
  // A server of PostgreSQL is asked over connections that stay; of SQLite each attempt leaves another file.
  const observer = address.kind === 'postgres' ? openDatabase(address) : null;
  onTestFinished(async () => observer?.close());
  const describeLeft = () => (observer === null ? using(address, describeSchema) : describeSchema(observer));
  const gap = soakGaps(12);
  for (let statement = gap() - 1; ; statement += gap()) {
    const left = await cutAt(address, statement);
    if (left === null) break;
    address = left;
    const schema = await describeLeft();
    expect(sound, `statement ${statement}, SOAK_SEED=${soakSeed}`).toContain(schema);
    seen.add(schema);
    if (schema !== before) statement = -1;
    before = schema;
  }
  // The last attempt met no cut, or one behind its last change.
  seen.add(await describeLeft());
  if (isWholeSoak) expect([...seen]).toEqual(sound);
  else expect([...seen].at(-1)).toBe(sound.at(-1));
});

test.each(soakCases([3, 17, 30], 3))(
  'a process that is killed before its %ith statement leaves a schema that the next one completes',
  async (statement) => {
    const sound = await soundSchemas();
    const address = await freshDatabase();
    const file = fileURLToPath(new URL('../../support/processes/migrating-process.ts', import.meta.url));
    const child = spawn(process.execPath, [file, JSON.stringify(address), String(statement)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    await using(address, async (database) => {
      expect(sound).toContain(await describeSchema(database));
      await migrate(database, systemClock);
      expect(await describeSchema(database)).toBe(sound.at(-1));
    });
  },
);
