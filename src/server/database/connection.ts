import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { DatabaseConnection, Transaction } from 'kysely';
import { CompiledQuery, Kysely, PostgresDialect, SqliteDialect, SqliteDriver, sql } from 'kysely';
import pg from 'pg';
import type { Dialect } from './dialect.ts';
import { postgresDialect, sqliteDialect } from './dialect.ts';
import type { Executor, Tables } from './tables.ts';

export type DatabaseAddress = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

export interface Database {
  readonly dialect: Dialect;
  /** For reading outside of a transaction. */
  readonly reader: Executor;
  /**
   * One transaction. Only SQL may be awaited inside: on SQLite everybody else who writes is waiting.
   * @throws DatabaseBusy when another process has been writing for too long
   */
  write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** @throws when the database does not answer */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Another process held the database for longer than a write is willing to wait. */
export class DatabaseBusy extends Error {}

const writePatienceMs = 5_000;
const writeRetryMs = 20;
const openPatienceMs = 5_000;
const poolSize = 10;
const connectPatienceMs = 5_000;

export function openDatabase(address: DatabaseAddress, options: { writePatienceMs?: number } = {}): Database {
  const patienceMs = options.writePatienceMs ?? writePatienceMs;
  return address.kind === 'sqlite' ? openSqlite(address.file, patienceMs) : openPostgres(address.url, patienceMs);
}

/** SQLite has one handle for writing and one for reading, so that a reader never waits for a writer (WAL). */
function openSqlite(file: string, patienceMs: number): Database {
  mkdirSync(dirname(file), { recursive: true });
  const writer = new Kysely<Tables>({ dialect: new ImmediateSqliteDialect({ database: openSqliteFile(file) }) });
  const readerFile = openSqliteFile(file);
  readerFile.pragma('query_only = on');
  const reader = new Kysely<Tables>({ dialect: new SqliteDialect({ database: readerFile }) });
  return {
    dialect: sqliteDialect,
    reader,
    write: (work) => writePatiently(writer, sqliteDialect, patienceMs, work),
    ping: () => ping(reader),
    close: async () => {
      await reader.destroy();
      await writer.destroy();
      readerFile.close();
    },
  };
}

function openSqliteFile(file: string): Sqlite.Database {
  const database = new Sqlite(file, { timeout: openPatienceMs });
  database.pragma('journal_mode = WAL');
  // FULL, not NORMAL: with NORMAL a power cut takes back the last commits of a WAL, and what was acknowledged has to stay.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = on');
  // From here on no waiting inside SQLite: it would stop the whole process. `writePatiently` waits without blocking anybody.
  database.pragma('busy_timeout = 0');
  return database;
}

function openPostgres(url: string, patienceMs: number): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectPatienceMs,
    types: { getTypeParser: readIntegersAsNumbers },
  });
  // An idle connection that breaks must not end the process; the next query says what is wrong.
  pool.on('error', () => {});
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    dialect: postgresDialect,
    reader: kysely,
    write: (work) => writePatiently(kysely, postgresDialect, patienceMs, work),
    ping: () => ping(kysely),
    close: async () => {
      await kysely.destroy();
      if (!pool.ended) await pool.end();
    },
  };
}

async function ping(kysely: Kysely<Tables>): Promise<void> {
  await sql`select 1`.execute(kysely);
}

async function writePatiently<T>(
  kysely: Kysely<Tables>,
  dialect: Dialect,
  patienceMs: number,
  work: (transaction: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += writeRetryMs) {
    try {
      return await kysely.transaction().execute(work);
    } catch (error) {
      if (!dialect.isBusy(error)) throw error;
      await wait(writeRetryMs);
    }
  }
  throw new DatabaseBusy('Another process is writing to the database.');
}

const int8 = 20;

/** `bigint` comes as text by default; no value of ours is beyond 2^53. */
const readIntegersAsNumbers: pg.CustomTypesConfig['getTypeParser'] = (type, format) => (type === int8 ? Number : pg.types.getTypeParser(type, format));

/** A deferred transaction that turns into a writer half-way can be refused there; `begin immediate` is refused at its start or not at all. */
class ImmediateSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

class ImmediateSqliteDialect extends SqliteDialect {
  readonly #config: { database: Sqlite.Database };

  constructor(config: { database: Sqlite.Database }) {
    super(config);
    this.#config = config;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver(this.#config);
  }
}
