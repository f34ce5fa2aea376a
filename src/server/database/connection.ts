import { setTimeout as pause, setTimeout as wait } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { DatabaseDamaged } from './damage.ts';
import type { Dialect } from './dialect.ts';
import { postgresDialect, sqliteDialect } from './dialect.ts';
import { OwnPostgresDialect, openPool } from './postgres-dialect.ts';
import { openSoundFile, openSqliteFile, WatchedSqliteDialect } from './sqlite-file.ts';
import { deferCheckpoints, scheduleCheckpoints, watchSqlite } from './sqlite-watch.ts';
import type { Executor, Tables } from './tables.ts';

export type DatabaseAddress = { kind: 'sqlite'; file: string } | { kind: 'postgres'; url: string };

/**
 * Where a database is, for people: a file, or a host and the database's name. Never who it is opened by, or with what.
 */
export function describePlace(address: DatabaseAddress): string {
  if (address.kind === 'sqlite') return address.file;
  const url = URL.parse(address.url);
  const place = url === null ? '' : `${url.searchParams.get('host') ?? url.host}${url.pathname}`;
  // Such an address was not read as it was meant.
  return place === '' || place.includes('@') ? 'PostgreSQL' : place;
}

export interface Database {
  readonly dialect: Dialect;
  /** For reading outside of a transaction. */
  readonly reader: Executor;
  /**
   * One transaction. Only SQL may be awaited inside: on SQLite everybody else who writes is waiting.
   * @throws DatabaseBusy when another process has been writing for too long
   * @throws DatabaseDamaged when what is written would be lost
   */
  write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** @throws when the database does not answer, or cannot be written to any more */
  ping(): Promise<void>;
  load(): DatabaseLoad;
  close(): Promise<void>;
}

/** Open connections, and what waits for one; of SQLite, for the one that writes. */
interface DatabaseLoad {
  used: number;
  idle: number;
  waiting: number;
}

/** What can be migrated and filled. */
export type WritableDatabase = Pick<Database, 'dialect' | 'write'>;

/** Another process held the database for longer than a write is willing to wait. */
export class DatabaseBusy extends Error {}

export interface DatabaseOptions {
  writePatienceMs?: number;
  /** Called once when damage is found while the database is open. */
  onDamage?: (damage: DatabaseDamaged) => void;
  /** Hears why SQLite's files cannot be looked after at the moment; reading and writing may go on. */
  onFault?: (error: unknown) => void;
  /** Another connection of this process keeps SQLite's log short. */
  leavesLogAlone?: boolean;
}

const writePatienceMs = 5_000;
const writeRetryMs = 20;
const poolSize = 10;

type PatientOptions = DatabaseOptions & { writePatienceMs: number };

/** @throws DatabaseDamaged */
export function openDatabase(address: DatabaseAddress, options: DatabaseOptions = {}): Database {
  const patient = { ...options, writePatienceMs: options.writePatienceMs ?? writePatienceMs };
  return address.kind === 'sqlite'
    ? openSqlite(address.file, patient)
    : openPostgres(address.url, patient.writePatienceMs);
}

/** SQLite has one handle for writing and one for reading, so that a reader never waits for a writer (WAL). */
function openSqlite(
  file: string,
  { writePatienceMs: patienceMs, onDamage = () => {}, onFault, leavesLogAlone = false }: PatientOptions,
): Database {
  const writerFile = openSoundFile(file);
  const readerFile = openSqliteFile(file);
  readerFile.pragma('query_only = on');
  // From here on no waiting inside SQLite: it would stop the whole process. `writePatiently` waits without blocking
  // anybody.
  for (const opened of [writerFile, readerFile]) opened.pragma('busy_timeout = 0');
  const watch = watchSqlite(writerFile, file, { onDamage, onFault });
  deferCheckpoints(writerFile);
  const checkpoints = leavesLogAlone ? null : scheduleCheckpoints(writerFile, file, onFault);
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

function openPostgres(url: string, patienceMs: number): Database {
  const pool = openPool(url, poolSize);
  const kysely = new Kysely<Tables>({ dialect: new OwnPostgresDialect(pool) });
  return {
    dialect: postgresDialect,
    reader: kysely,
    write: (work) => writePatiently(kysely, postgresDialect, patienceMs, work),
    ping: () => ping(kysely),
    load: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
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

/** The database did not answer when the server started. The message tells whoever runs the server what to do. */
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

/** After a power cut the machines of a house start in any order. */
const patienceMs = 30_000;
const retryMs = 500;

/**
 * Waits until the database answers.
 * @throws DatabaseUnreachable after half a minute
 * @throws what it refuses us with, at once: waiting does not make a password right
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

/** Several addresses that refuse make an error without words. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
