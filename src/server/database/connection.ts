import { setTimeout as pause, setTimeout as wait } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { DatabaseDamaged } from './damage.ts';
import type { Dialect } from './dialect.ts';
import { postgresDialect, sqliteDialect } from './dialect.ts';
import { OwnPostgresDialect, openPool } from './postgres-dialect.ts';
import type { ReplicaFacts } from './replica.ts';
import { Lists, noteWrite } from './replica.ts';
import { openSoundFile, openSqliteFile } from './sqlite-file.ts';
import { deferCheckpoints, scheduleCheckpoints, WatchedSqliteDialect, watchSqlite } from './sqlite-watch.ts';
import type { Executor, Tables } from './tables.ts';

export type DatabaseAddress =
  | { kind: 'sqlite'; file: string }
  /** `pool`: the most connections of this process; `readUrl`: a replica. */
  | { kind: 'postgres'; url: string; pool?: number | undefined; readUrl?: string | undefined };

export interface Database {
  readonly dialect: Dialect;
  /** Reads outside of a transaction. */
  readonly reader: Executor;
  /**
   * Reads lists, cards, searches and dashboards for one call, perhaps from a replica: nothing that
   * is kept in memory, or that decides what somebody may do.
   */
  readonly lists: Executor;
  /**
   * Runs one transaction. Only SQL may be awaited inside: on SQLite all other writers are waiting.
   * @throws DatabaseBusy if another process has been writing for too long
   * @throws DatabaseDamaged if written data would be lost
   */
  write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** @throws if the database does not answer, or can no longer be written to */
  ping(): Promise<void>;
  load(): DatabaseLoad;
  /** Null without a replica. */
  replica(): ReplicaFacts | null;
  close(): Promise<void>;
}

/** Connections in use and idle, and requests waiting for one; on SQLite, of the writing one. */
interface DatabaseLoad {
  used: number;
  idle: number;
  waiting: number;
}

/** The members of a database that migrations and imports need. */
export type WritableDatabase = Pick<Database, 'dialect' | 'write'>;

/** Another process locked the database for longer than a write waits. */
export class DatabaseBusy extends Error {}

export interface DatabaseOptions {
  writePatienceMs?: number;
  /** Called once when damage is found while the database is open. */
  onDamage?: (damage: DatabaseDamaged) => void;
  /** Called when SQLite's files cannot be maintained; reads and writes may still work. */
  onFault?: (error: unknown) => void;
  /**
   * True for the library's thread: the main thread runs the checkpoints of SQLite's log, and has
   * most of the connections to PostgreSQL.
   */
  isBeside?: boolean;
  clock?: Pick<Clock, 'elapsed'>;
}

const writePatienceMs = 5_000;
const writeRetryMs = 20;
/** The limit of a statement, in milliseconds; all deadlines of calls are shorter. */
const statementPatienceMs = 15_000;
const usualPool = 10;
/** A scan writes one transaction after the other. */
const shareBeside = 5;

type PatientOptions = DatabaseOptions & { writePatienceMs: number };

/** @throws DatabaseDamaged */
export function openDatabase(address: DatabaseAddress, options: DatabaseOptions = {}): Database {
  const patient = { ...options, writePatienceMs: options.writePatienceMs ?? writePatienceMs };
  return address.kind === 'sqlite' ? openSqlite(address.file, patient) : openPostgres(address, patient);
}

/**
 * Opens SQLite with one handle for writing and one for reading, so that readers never wait for a
 * writer (WAL).
 */
function openSqlite(
  file: string,
  { writePatienceMs: patienceMs, onDamage = () => {}, onFault, isBeside = false }: PatientOptions,
): Database {
  const writerFile = openSoundFile(file);
  const readerFile = openSqliteFile(file);
  readerFile.pragma('query_only = on');
  // SQLite itself no longer waits for locks, which would block the whole process; `writePatiently`
  // waits asynchronously.
  for (const opened of [writerFile, readerFile]) opened.pragma('busy_timeout = 0');
  const watch = watchSqlite(writerFile, file, { onDamage, onFault });
  deferCheckpoints(writerFile);
  const checkpoints = isBeside ? null : scheduleCheckpoints(writerFile, file, onFault);
  const writer = new Kysely<Tables>({
    dialect: new WatchedSqliteDialect({ database: writerFile, onError: watch.note }),
  });
  const reader = new Kysely<Tables>({
    dialect: new WatchedSqliteDialect({ database: readerFile, onError: watch.note }),
  });
  let writes = 0;
  return {
    dialect: sqliteDialect,
    reader,
    lists: reader,
    replica: () => null,
    async write(work) {
      watch.assertSound();
      writes += 1;
      try {
        return await writePatiently(writer, sqliteDialect, patienceMs, work);
      } finally {
        writes -= 1;
      }
    },
    load: () => ({ used: Math.min(writes, 1), idle: writes === 0 ? 1 : 0, waiting: Math.max(0, writes - 1) }),
    async ping() {
      watch.assertSound();
      await ping(reader);
    },
    async close() {
      watch.stop();
      await checkpoints?.stop();
      await reader.destroy();
      await writer.destroy();
      readerFile.close();
      writerFile.close();
    },
  };
}

type PostgresAddress = Extract<DatabaseAddress, { kind: 'postgres' }>;

function openPostgres(
  { url, pool: size = usualPool, readUrl }: PostgresAddress,
  { writePatienceMs: patienceMs, isBeside = false, clock = systemClock }: PatientOptions,
): Database {
  const beside = Math.ceil(size / shareBeside);
  const connections = isBeside ? beside : size - beside;
  const pool = openPool(url, connections, statementPatienceMs);
  const kysely = new Kysely<Tables>({ dialect: new OwnPostgresDialect(pool) });
  const lists = new Lists({ primary: kysely, connections, readUrl: isBeside ? undefined : readUrl, clock });
  return {
    dialect: postgresDialect,
    reader: kysely,
    lists: lists.reader,
    replica: () => lists.facts(),
    // A transaction whose answer was lost may have been committed, too.
    write: (work) => writePatiently(kysely, postgresDialect, patienceMs, work).finally(noteWrite),
    ping: () => ping(kysely),
    load: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + lists.waitingCount,
    }),
    close: async () => {
      await lists.close();
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

/** The database did not answer at the start. The message tells the operator what to do. */
export class DatabaseUnreachable extends Error {
  constructor(cause: unknown) {
    super(
      `its database did not answer for ${patienceMs / 1000} seconds (${wordsOf(cause)}). See that PostgreSQL runs, and that DATABASE_URL leads to it.`,
      {
        cause,
      },
    );
  }
}

interface WaitDeps {
  database: Pick<Database, 'ping' | 'dialect'>;
  clock: Clock;
  log: Log;
  wait?: (ms: number) => Promise<unknown>;
}

/** After a power cut, a database on another machine may start later than the server. */
const patienceMs = 30_000;
const retryMs = 500;

/**
 * Waits until the database answers.
 * @throws DatabaseUnreachable after half a minute
 * @throws any other error at once: waiting does not make a wrong password right
 */
export async function waitForDatabase({ database, clock, log, wait = pause }: WaitDeps): Promise<void> {
  const startedAt = clock.elapsed();
  for (let tries = 0; ; tries += 1) {
    try {
      await database.ping();
      if (tries > 0) log.info('the database answers');
      return;
    } catch (error) {
      if (!database.dialect.isUnreachable(error)) throw error;
      if (clock.elapsed() - startedAt >= patienceMs) throw new DatabaseUnreachable(error);
      if (tries === 0)
        log.warn(
          `the database does not answer (${wordsOf(error)}); it is waited for, for up to ${patienceMs / 1000} seconds`,
        );
    }
    await wait(retryMs);
  }
}

/**
 * A connection that failed on several addresses has an error without a message, so its code is
 * used.
 */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
