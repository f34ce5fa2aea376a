import type { RawBuilder } from 'kysely';
import { CompiledQuery, sql } from 'kysely';
import { z } from 'zod';
import type { BackupState } from '#contract/entities/site.ts';
import { backupFailureSchema, storedBackupSchema } from '#contract/entities/site.ts';
import type { Dialect } from '../database/dialect.ts';
import type { Executor, Tables } from '../database/tables.ts';
import type { Env } from '../env.ts';
import type { ArchiveRow } from './archive-format.ts';

/** Number of rows in memory at a time; a row with an avatar has about 20 KiB. */
const rowsPerPage = 500;

/** A row has about twenty values, and both databases limit the values of a statement. */
const rowsPerInsert = 200;

/** A table whose rows go into an archive. */
export interface KeptTable {
  name: string;
  /** The migration that creates the table. */
  since: string;
  /** The primary key, which also orders the rows. */
  key: readonly string[];
  /** A condition in SQL that selects the rows to include; absent: all rows. */
  only?: string;
  /** The database numbers the rows. */
  isNumbered?: true;
}

/** Name of the row in `settings` with the outcome of the nightly backups. Archives leave it out. */
const backupRecordName = 'nightly_backup';

/**
 * Name of the row in `settings` with the id of the restore that made this database. Archives leave
 * it out.
 */
const restoreRecordName = 'restored';

/** Logs of browsers are left out: they end with the site that they belong to. */
const watchedByAccounts = 'owner in (select owner from watched_owners where user_id is not null)';

/**
 * Every table of the schema: the ones that an archive includes, ordered so that referenced rows
 * come first, and the ones that it leaves out, with the reason.
 */
export const tableRules = {
  secrets: { kept: { since: '0001-foundation', key: ['name'] } },
  settings: {
    kept: {
      since: '0001-foundation',
      key: ['name'],
      // Both rows describe this installation: where its backups are, and what it was restored from.
      only: `name not in ('${backupRecordName}', '${restoreRecordName}')`,
    },
  },
  revisions: { kept: { since: '0001-foundation', key: ['name'] } },
  library_roots: { kept: { since: '0001-foundation', key: ['number'], isNumbered: true } },
  videos: { kept: { since: '0001-foundation', key: ['number'], isNumbered: true } },
  tags: { kept: { since: '0001-foundation', key: ['number'], isNumbered: true } },
  video_tags: { kept: { since: '0001-foundation', key: ['video_number', 'tag_number'] } },
  tag_aliases: { kept: { since: '0015-curators', key: ['name_key'] } },
  tag_changes: { kept: { since: '0015-curators', key: ['number'], isNumbered: true } },
  tag_change_tags: { kept: { since: '0015-curators', key: ['change_number', 'tag_number'] } },
  tag_change_links: { kept: { since: '0015-curators', key: ['change_number', 'tag_number', 'video_number'] } },
  video_detail_changes: { kept: { since: '0028-video-details', key: ['change_number', 'video_number'] } },
  folder_channels: { kept: { since: '0015-curators', key: ['number'], isNumbered: true } },
  removed_folder_links: { kept: { since: '0015-curators', key: ['video_number', 'folder_channel_number'] } },
  users: { kept: { since: '0010-accounts', key: ['id'] } },
  avatars: { kept: { since: '0010-accounts', key: ['user_id'] } },
  sessions: { kept: { since: '0010-accounts', key: ['id'] } },
  identities: { kept: { since: '0010-accounts', key: ['issuer', 'subject'] } },
  known_devices: { kept: { since: '0010-accounts', key: ['user_id', 'viewer_hash'] } },
  upload_sessions: { kept: { since: '0016-uploads', key: ['id'] } },
  removed_uploads: { kept: { since: '0017-removed-uploads', key: ['id'] } },
  upload_files: { kept: { since: '0016-uploads', key: ['id'] } },
  invitations: { kept: { since: '0013-operators', key: ['id'] } },
  activities: { kept: { since: '0013-operators', key: ['number'], isNumbered: true } },
  favourites: { kept: { since: '0031-favourites', key: ['user_id', 'video_id'] } },
  video_plays: { kept: { since: '0031-favourites', key: ['video_number'] } },
  // A search finds its groups again; nothing but an archive knows which ones are kept.
  duplicates: { kept: { since: '0041-kept-duplicates', key: ['video_number'], only: 'kept = 1' } },
  setting_changes: { kept: { since: '0032-setting-changes', key: ['activity_number'] } },
  watched_owners: { kept: { since: '0035-watched', key: ['owner'], only: 'user_id is not null' } },
  watched_chunks: { kept: { since: '0035-watched', key: ['owner', 'chunk'], only: watchedByAccounts } },
  watched_rounds: { kept: { since: '0035-watched', key: ['owner', 'selection'], only: watchedByAccounts } },
  reports: { kept: { since: '0029-reports', key: ['number'], isNumbered: true } },
  jobs: {
    kept: {
      since: '0003-jobs',
      key: ['id'],
      // All other jobs are queued again after a start, such as missing posters and the library
      // scan.
      only: "kind in ('tag-removal', 'tag-merge', 'tag-sidecars', 'tag-change-links', 'tag-undo', 'tag-person-undo') and active_key is not null",
    },
  },

  nodes: { leftOut: 'the servers that run at the moment' },
  leases: { leftOut: 'what they do for the others' },
  id_sets: { leftOut: 'made from videos, tags and their links at the first start' },
  set_changes: { leftOut: 'the log of the sets, which begins anew with them' },
  set_counter: { leftOut: 'counts that log' },
  name_grams: { leftOut: 'what names are found by, made again from the videos at the first start' },
  unindexed_names: { leftOut: 'names that are still to go in there: at that start all of them' },
  posters: { leftOut: 'says which poster files there are; both are made again' },
  encodings: { leftOut: 'says which encodings there are; they are made again as they are needed' },
  audio_encodings: { leftOut: 'says which audio tracks were encoded; they are made again as they are chosen' },
  storyboards: { leftOut: 'likewise' },
  video_prints: { leftOut: 'what videos are compared by, read from them again' },
  subtitles: { leftOut: 'text out of the videos, read again' },
  subtitles_beside: { leftOut: 'text of files beside the videos, read again' },
  media_findings: { leftOut: 'what was found in the videos, looked for again' },
  encoding_demand: { leftOut: 'which encodings were worth their room on this installation' },
  attempts: { leftOut: 'counts of tries, which run out within a day' },
  repeatable_answers: { leftOut: 'answers for calls that are repeated within a day' },
  playback_stats: { leftOut: 'figures of the last day, of this installation alone' },
  bandwidth_stats: { leftOut: 'likewise' },
  network_stats: { leftOut: 'likewise' },
  upload_parts: { leftOut: 'says which parts a store has; an upload without them begins again' },
  performance_alerts: { leftOut: 'likewise' },
  video_stats: { leftOut: 'likewise' },
  venues: { leftOut: 'screens that report here, and report again within a minute' },
  provider_visits: { leftOut: 'sign-ins on their way, which run out within minutes' },
  link_tickets: { leftOut: 'tickets that run out within minutes' },
  device_sign_ins: { leftOut: 'TVs that wait for a code, which runs out within minutes' },
  people_changes: { leftOut: 'the log of changes of people, which nodes read within seconds' },
  migrations: { leftOut: 'the version of the schema: its names stand in the head of the archive' },
} as const satisfies Record<keyof Tables, TableRule>;

const recordSchema = z.object({ latest: storedBackupSchema.nullable(), failure: backupFailureSchema.nullable() });

/** The latest successful nightly backup, and the last attempt if it failed. */
export type BackupRecord = z.infer<typeof recordSchema>;

/** Reads and writes of backup and restore. */
export const backupRepository = {
  /**
   * Reads the rows that go into an archive, ordered by primary key, which is the same on both
   * databases.
   */
  async *readRows(executor: Executor, table: KeptTable): AsyncGenerator<ArchiveRow> {
    let page: ArchiveRow[] = [];
    do {
      page = await readPage(executor, table, page.at(-1));
      yield* page;
    } while (page.length === rowsPerPage);
  },

  /** Names of the applied migrations; empty if the database was never migrated. */
  async readMigrations(executor: Executor, dialect: Dialect): Promise<string[]> {
    if (!(await backupRepository.listTables(executor, dialect)).includes('migrations')) return [];
    const rows = await executor.selectFrom('migrations').select('name').orderBy('name').execute();
    return rows.map(({ name }) => name);
  },

  /** Tables of the connection's schema, without those of extensions. */
  async listTables(executor: Executor, { kind }: Pick<Dialect, 'kind'>): Promise<string[]> {
    const tables =
      kind === 'sqlite'
        ? sql<{ name: string }>`select name from sqlite_master where type = 'table' and name not like 'sqlite%'`
        : sql<{ name: string }>`select relname as name from pg_class
            where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
            and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e')`;
    return (await tables.execute(executor)).rows.map(({ name }) => name).sort();
  },

  /**
   * Number of other connections of the product to this database. Always 0 on SQLite, where a lock
   * on the file shows its use.
   */
  async countOtherSessions(executor: Executor, { kind }: Pick<Dialect, 'kind'>): Promise<number> {
    if (kind === 'sqlite') return 0;
    // Within a transaction, the statistics would otherwise stay as they were at the first query.
    await sql`select pg_stat_clear_snapshot()`.execute(executor);
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
      and application_name = current_setting('application_name')`.execute(executor);
    return rows[0]?.count ?? 0;
  },

  /** The last number that each table has assigned. */
  async readLastNumbers(
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
  },

  /**
   * Makes videos unavailable that need an encoding, because an archive contains none. They become
   * available again once they are encoded.
   */
  async withdrawEncoded(executor: Executor): Promise<void> {
    await executor
      .updateTable('videos')
      .set({ available: 0 })
      .where('available', '=', 1)
      .where('reason', 'is not', null)
      .execute();
  },

  /**
   * Extends open upload sessions, so that they have as much time left as when the backup was made.
   * @param ms milliseconds since the backup
   */
  async prolongUploads(executor: Executor, ms: number): Promise<void> {
    await executor
      .updateTable('upload_sessions')
      .set((row) => ({ active_at: row('active_at', '+', ms) }))
      .where('state', '=', 'open')
      .execute();
  },

  /** Sets the last number of each table, but never below its highest row. */
  async setLastNumbers(executor: Executor, dialect: Dialect, numbers: Readonly<Record<string, number>>): Promise<void> {
    for (const [name, last] of Object.entries(numbers)) {
      const { rows } = await sql<{
        highest: number | null;
      }>`select max(number) as highest from ${sql.table(name)}`.execute(executor);
      const number = Math.max(last, rows[0]?.highest ?? 0);
      if (number > 0) for (const statement of dialect.setLastRowNumber(name, number)) await statement.execute(executor);
    }
  },

  /** Deletes all rows of a table that the migrations have filled. */
  async deleteRows(executor: Executor, table: string): Promise<void> {
    await sql`delete from ${sql.table(table)}`.execute(executor);
  },

  /**
   * Inserts rows with the numbers that they already have. All rows have the columns of the first.
   */
  async insertRows(executor: Executor, dialect: Dialect, table: string, rows: readonly ArchiveRow[]): Promise<void> {
    const columns = Object.keys(rows[0] ?? {});
    const texts = new Map<number, string>();
    for (let from = 0; from < rows.length; from += rowsPerInsert) {
      const values = rows.slice(from, from + rowsPerInsert).map((row) => columns.map((column) => row[column] ?? null));
      // Compiling the statement takes far longer than inserting the rows, so its text is reused.
      const text = texts.get(values.length) ?? compileInsert(executor, dialect, table, columns, values);
      texts.set(values.length, text);
      await executor.executeQuery(CompiledQuery.raw(text, values.flat()));
    }
  },

  /**
   * Sets the revision counters, which clients compare, to values that no client has seen. They
   * continue from the current time in seconds, as no site changes once a second throughout its
   * life.
   */
  async advanceRevisions(executor: Executor, now: number): Promise<void> {
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
  },

  /** The tables to archive from a schema with these migrations. */
  listKeptTables(migrations: readonly string[]): KeptTable[] {
    return Object.entries<TableRule>(tableRules).flatMap(([name, rule]) =>
      'kept' in rule && migrations.includes(rule.kept.since) ? [{ name, ...rule.kept }] : [],
    );
  },

  async readRecord(executor: Executor): Promise<BackupRecord> {
    const row = await executor
      .selectFrom('settings')
      .select('value')
      .where('name', '=', backupRecordName)
      .executeTakeFirst();
    return row === undefined ? { latest: null, failure: null } : recordSchema.parse(JSON.parse(row.value));
  },

  async writeRecord(executor: Executor, record: BackupRecord, now: number): Promise<void> {
    const facts = { value: JSON.stringify(record), updated_at: now };
    await executor
      .insertInto('settings')
      .values({ name: backupRecordName, ...facts })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
      .execute();
  },

  /** @param id identifies the restore */
  async writeRestoreRecord(executor: Executor, id: string, now: number): Promise<void> {
    await executor
      .insertInto('settings')
      .values({ name: restoreRecordName, value: JSON.stringify(id), updated_at: now })
      .execute();
  },

  /** The id of the restore that made this database, or null. */
  async readRestoreRecord(executor: Executor): Promise<string | null> {
    const row = await executor
      .selectFrom('settings')
      .select('value')
      .where('name', '=', restoreRecordName)
      .executeTakeFirst();
    return row === undefined ? null : String(JSON.parse(row.value));
  },
};

async function readPage(
  executor: Executor,
  { name, key, only }: KeptTable,
  after: ArchiveRow | undefined,
): Promise<ArchiveRow[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const conditions: RawBuilder<unknown>[] = [];
  if (only !== undefined) conditions.push(sql`(${sql.raw(only)})`);
  if (after !== undefined) conditions.push(sql`(${columns}) > (${sql.join(key.map((column) => after[column]))})`);
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const { rows } =
    await sql<ArchiveRow>`select * from ${sql.table(name)} ${where} order by ${columns} limit ${rowsPerPage}`.execute(
      executor,
    );
  return rows;
}

function compileInsert(
  executor: Executor,
  dialect: Dialect,
  table: string,
  columns: readonly string[],
  values: readonly ArchiveRow[string][][],
): string {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const tuples = sql.join(values.map((tuple) => sql`(${sql.join(tuple)})`));
  return sql`insert into ${sql.table(table)} (${names}) ${dialect.withRowNumbers} values ${tuples}`.compile(executor)
    .sql;
}

type TableRule = { kept: Omit<KeptTable, 'name'> } | { leftOut: string };

/** The state of the nightly backup for administrators. @param now epoch milliseconds */
export async function readBackupState(
  executor: Executor,
  { backupFolder, backupHour, libraryFolders }: Pick<Env, 'backupFolder' | 'backupHour' | 'libraryFolders'>,
  now: number,
): Promise<BackupState> {
  const record = await backupRepository.readRecord(executor);
  return {
    folder: backupFolder ?? null,
    next_at: backupFolder === undefined ? null : new Date(nextBackupTime(now, backupHour)).toISOString(),
    ...record,
    left_out: [...libraryFolders],
  };
}

/** The next time that a clock on the wall shows this full hour, in epoch milliseconds. */
export function nextBackupTime(now: number, hour: number): number {
  const today = timeOfHour(now, hour, 0);
  return today > now ? today : timeOfHour(now, hour, 1);
}

/** The latest such time that has passed, in epoch milliseconds. */
export function lastBackupTime(now: number, hour: number): number {
  const today = timeOfHour(now, hour, 0);
  return today <= now ? today : timeOfHour(now, hour, -1);
}

/** Counts calendar days, as a day with a clock change has 23 or 25 hours. */
function timeOfHour(now: number, hour: number, daysAway: number): number {
  const date = new Date(now);
  date.setDate(date.getDate() + daysAway);
  return date.setHours(hour, 0, 0, 0);
}
