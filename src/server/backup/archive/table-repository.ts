import type { RawBuilder } from 'kysely';
import { CompiledQuery, sql } from 'kysely';
import type { Dialect } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { KeptTable } from './backup-tables.ts';
import type { Row } from './row-lines.ts';

/** Rows in memory at a time; a row with an avatar has some 20 KiB. */
const rowsPerPage = 500;

/** In the order of the key, which is the same on each database. */
export async function* readRows(executor: Executor, table: KeptTable): AsyncGenerator<Row> {
  let page: Row[] = [];
  do {
    page = await readPage(executor, table, page.at(-1));
    yield* page;
  } while (page.length === rowsPerPage);
}

async function readPage(executor: Executor, { name, key, only }: KeptTable, after: Row | undefined): Promise<Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const conditions: RawBuilder<unknown>[] = [];
  if (only !== undefined) conditions.push(sql`(${sql.raw(only)})`);
  if (after !== undefined) conditions.push(sql`(${columns}) > (${sql.join(key.map((column) => after[column]))})`);
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const { rows } =
    await sql<Row>`select * from ${sql.table(name)} ${where} order by ${columns} limit ${rowsPerPage}`.execute(
      executor,
    );
  return rows;
}

/** Empty for a database that was never migrated. */
export async function readMigrations(executor: Executor, dialect: Dialect): Promise<string[]> {
  if (!(await listTables(executor, dialect)).includes('migrations')) return [];
  const rows = await executor.selectFrom('migrations').select('name').orderBy('name').execute();
  return rows.map(({ name }) => name);
}

/** Of the schema that the connection works in, without those that extensions brought. */
export async function listTables(executor: Executor, { kind }: Pick<Dialect, 'kind'>): Promise<string[]> {
  const tables =
    kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
      : sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
          and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`;
  return (await tables.execute(executor)).rows.map(({ name }) => name).sort();
}

/** Other processes of the product that are connected to this database; on SQLite its file says who uses it. */
export async function countOtherSessions(executor: Executor, { kind }: Pick<Dialect, 'kind'>): Promise<number> {
  if (kind === 'sqlite') return 0;
  // A transaction sees those of its first look otherwise.
  await sql`select pg_stat_clear_snapshot()`.execute(executor);
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
    and application_name = current_setting('application_name')`.execute(executor);
  return rows[0]?.count ?? 0;
}

/** By table: the last number that each has given out. */
export async function readLastNumbers(
  executor: Executor,
  dialect: Dialect,
  tables: readonly KeptTable[],
): Promise<Record<string, number>> {
  const numbers: Record<string, number> = {};
  for (const { name } of tables.filter(({ isNumbered }) => isNumbered)) {
    const { rows } = await dialect.lastRowNumber(name).execute(executor);
    numbers[name] = rows[0]?.last ?? 0;
  }
  return numbers;
}

/** Encodings are left out: what nothing plays as it is waits for new ones. */
export async function withdrawEncoded(executor: Executor): Promise<void> {
  await executor
    .updateTable('videos')
    .set({ available: 0 })
    .where('available', '=', 1)
    .where('reason', 'is not', null)
    .execute();
}

/** Sessions of uploads that were open in a backup have as long to go on as they had then. @param ms since the backup */
export async function prolongUploads(executor: Executor, ms: number): Promise<void> {
  await executor
    .updateTable('upload_sessions')
    .set((row) => ({ active_at: row('active_at', '+', ms) }))
    .where('state', '=', 'open')
    .execute();
}

/** No table goes on below its highest row. */
export async function setLastNumbers(
  executor: Executor,
  dialect: Dialect,
  numbers: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [name, last] of Object.entries(numbers)) {
    const { rows } = await sql<{
      highest: number | null;
    }>`select max(number) as highest from ${sql.table(name)}`.execute(executor);
    const number = Math.max(last, rows[0]?.highest ?? 0);
    if (number > 0) for (const statement of dialect.setLastRowNumber(name, number)) await statement.execute(executor);
  }
}

/** Of a table that the migrations have filled. */
export async function deleteRows(executor: Executor, table: string): Promise<void> {
  await sql`delete from ${sql.table(table)}`.execute(executor);
}

/** A row has some twenty values, and both databases have a limit on them. */
const rowsPerInsert = 200;

/** With the numbers that they bring along. All have the columns of the first. */
export async function insertRows(
  executor: Executor,
  dialect: Dialect,
  table: string,
  rows: readonly Row[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const texts = new Map<number, string>();
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const values = rows.slice(from, from + rowsPerInsert).map((row) => columns.map((column) => row[column] ?? null));
    // To put the text together takes far longer than to insert the rows.
    const text = texts.get(values.length) ?? compileInsert(executor, dialect, table, columns, values);
    texts.set(values.length, text);
    await executor.executeQuery(CompiledQuery.raw(text, values.flat()));
  }
}

function compileInsert(
  executor: Executor,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  values: readonly Row[string][][],
): string {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const tuples = sql.join(values.map((tuple) => sql`(${sql.join(tuple)})`));
  return sql`insert into ${sql.table(table)} (${names}) ${dialect.withRowNumbers} values ${tuples}`.compile(executor)
    .sql;
}

/**
 * Makes the counters that clients compare ones that no client has seen: they go on from the present in seconds, as no
 * site changes once a second for all of its life.
 */
export async function advanceRevisions(executor: Executor, now: number): Promise<void> {
  const least = Math.floor(now / 1000);
  await executor
    .updateTable('revisions')
    .set((row) => ({
      value: row
        .case()
        .when('value', '<', least)
        .then(least)
        .else(row('value', '+', 1))
        .end(),
    }))
    .execute();
}
