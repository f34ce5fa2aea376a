import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import type { CompiledQuery as Compiled, DatabaseConnection } from 'kysely';
import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';
import { secureRandomBelow } from '../ids.ts';
import { describeBroken, describeExchanged, describeGone, describeOlder, rollbackGuardOf } from './damage.ts';

const openPatienceMs = 5_000;

/**
 * Up to this size a look at every page takes a fraction of a second; a larger file shows its damage when it is read.
 */
const checkedBytes = 64 * 1_048_576;

/**
 * Opens the file for writing, and makes sure that it is the one that was used here before, and sound. @throws
 * DatabaseDamaged
 */
export function openSoundFile(file: string): Sqlite.Database {
  mkdirSync(dirname(file), { recursive: true });
  const guard = readRollbackGuard(file);
  createWhenMissing(file);
  let database: Sqlite.Database | undefined;
  try {
    database = openSqliteFile(file);
    compareWithRollbackGuard(database, file, guard);
    check(database, file);
    tryToWriteRollbackGuard(database, file);
    return database;
  } catch (error) {
    database?.close();
    throw isDamage(error) ? describeBroken(file, (error as Error).message) : error;
  }
}

/**
 * It holds keys and hashes of passwords, so it is its owner's alone; SQLite gives the files beside it the same rights.
 * A file that is there is opened by SQLite and by nobody else: closing any descriptor of it, in any thread, drops all
 * of the POSIX locks that this process has on it, and the next program that closes the database then deletes its log
 * (https://sqlite.org/howtocorrupt.html, 2.2).
 */
function createWhenMissing(file: string): void {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', 0o600));
}

export function openSqliteFile(file: string): Sqlite.Database {
  const database = new Sqlite(file, { timeout: openPatienceMs });
  try {
    database.pragma('journal_mode = WAL');
    // FULL, not NORMAL: with NORMAL a power cut takes back the last commits of a WAL, and what was acknowledged has to
    // stay.
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = on');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** True for an error that says that the file is no sound database. */
export function isDamage(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** A full disk, or somebody who is writing, must not keep the server from starting. */
function tryToWriteRollbackGuard(database: Sqlite.Database, file: string): void {
  try {
    writeRollbackGuard(database, file);
  } catch (error) {
    if (isDamage(error)) throw error;
  }
}

function check(database: Sqlite.Database, file: string): void {
  if (statSync(file).size > checkedBytes) return;
  const found = database.pragma('quick_check(1)', { simple: true });
  if (found !== 'ok') throw describeBroken(file, String(found).replaceAll(/\s+/g, ' '));
}

/**
 * A small file beside the database that names it and counts its guarded states. Without it, a database file that
 * vanished, was exchanged, or lost the last of what was committed would look like one that is new, another, or whole.
 */
interface RollbackGuard {
  /** The database's own, in its header as `application_id`. */
  id: number;
  /**
   * How often the guard was written, in the database's header as `user_version`: a committed change like any other, so
   * it is lost when they are.
   */
  age: number;
}

const maxIds = 2 ** 31 - 1;

/**
 * Before the file is opened, which would make an empty one. @throws DatabaseDamaged when it was there and is not any
 * more
 */
export function readRollbackGuard(file: string): RollbackGuard | null {
  const text = readText(rollbackGuardOf(file));
  if (text !== null && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw describeGone(file);
  return text === null ? null : parse(text);
}

/** @throws DatabaseDamaged */
export function compareWithRollbackGuard(database: Sqlite.Database, file: string, guard: RollbackGuard | null): void {
  const mark = readMark(database);
  if (guard === null) return;
  if (mark.id !== guard.id) throw describeExchanged(file);
  if (mark.age < guard.age) throw describeOlder(file);
}

/** The database first, so that the guard never counts more than was committed. */
export function writeRollbackGuard(database: Sqlite.Database, file: string): void {
  const mark = database.transaction(() => increaseAge(database)).immediate();
  // The library's thread has the database open too, and writes the guard by itself.
  const temporary = `${rollbackGuardOf(file)}-${process.pid}-${threadId}`;
  const descriptor = openSync(temporary, 'w', 0o600);
  writeSync(descriptor, JSON.stringify(mark));
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, rollbackGuardOf(file));
}

function increaseAge(database: Sqlite.Database): RollbackGuard {
  const { id, age } = readMark(database);
  const mark = { id: id === 0 ? 1 + secureRandomBelow(maxIds) : id, age: age + 1 };
  if (id === 0) database.pragma(`application_id = ${mark.id}`);
  database.pragma(`user_version = ${mark.age}`);
  return mark;
}

function readMark(database: Sqlite.Database): RollbackGuard {
  return {
    id: Number(database.pragma('application_id', { simple: true })),
    age: Number(database.pragma('user_version', { simple: true })),
  };
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Null for a guard that cannot be parsed: that the file exists was checked before. Two numbers need no schema, which the
 * library's thread would take a sixth longer to start with.
 */
function parse(text: string): RollbackGuard | null {
  try {
    const { id, age } = JSON.parse(text) as Partial<Record<string, unknown>>;
    return typeof id === 'number' && typeof age === 'number' ? { id, age } : null;
  } catch {
    return null;
  }
}

interface WatchedConfig {
  database: Sqlite.Database;
  /** Hears what statements are refused with. */
  onError: (error: unknown) => void;
}

export class WatchedSqliteDialect extends SqliteDialect {
  readonly #config: WatchedConfig;

  constructor(config: WatchedConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): SqliteDriver {
    return new WatchedSqliteDriver(this.#config);
  }
}

class WatchedSqliteDriver extends SqliteDriver {
  readonly #config: WatchedConfig;

  constructor(config: WatchedConfig) {
    super(config);
    this.#config = config;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return watched(await super.acquireConnection(), this.#config.onError);
  }

  /**
   * A deferred transaction that turns into a writer half-way can be refused there; `begin immediate` is refused at its
   * start or not at all.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** A full disk or a broken page has ended the transaction already; to end it again would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#config.database.inTransaction) await super.rollbackTransaction(connection);
  }
}

function watched(connection: DatabaseConnection, onError: (error: unknown) => void): DatabaseConnection {
  return {
    streamQuery: connection.streamQuery.bind(connection),
    async executeQuery<Row>(query: Compiled) {
      try {
        return await connection.executeQuery<Row>(query);
      } catch (error) {
        onError(error);
        throw error;
      }
    },
  };
}

/**
 * Locks a file of its own for this process: until it is released, or until the process ends, however it ends. Node has
 * no call for that; SQLite has.
 * @returns what releases it; null when another process has it
 */
export function lockForProcess(file: string): (() => void) | null {
  const database = new Sqlite(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
  return () => database.close();
}
