import {
  closeSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { nameKey } from '#contract/rules/text.ts';
import { secureRandomBelow } from '../ids.ts';
import { describeBroken, describeExchanged, describeGone, describeOlder, rollbackGuardOf } from './damage.ts';

const openPatienceMs = 5_000;

/** The SQL function for `nameKey`: SQLite's own `lower` leaves all letters but ASCII as they are. */
const nameKeyFunction = 'name_key';

/**
 * Checking every page of a file up to this size takes a fraction of a second. Damage of a larger
 * file is found when it is read.
 */
const checkedBytes = 64 * 1_048_576;

/**
 * Opens the file for writing, and checks that it is sound and the one that was used here before.
 * @throws DatabaseDamaged
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
 * Creates the file with owner-only permissions, as it holds keys and password hashes; SQLite gives
 * its companion files the same permissions. An existing file is opened by SQLite only: closing any
 * descriptor of it, in any thread, drops all POSIX locks of this process on it, and the next
 * program that closes the database then deletes its log (https://sqlite.org/howtocorrupt.html,
 * 2.2).
 */
function createWhenMissing(file: string): void {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'a', 0o600));
}

export function openSqliteFile(file: string): Sqlite.Database {
  const database = new Sqlite(file, { timeout: openPatienceMs });
  try {
    database.pragma('journal_mode = WAL');
    // FULL, not NORMAL: in WAL mode with NORMAL, a power cut undoes the last commits, and
    // acknowledged writes have to stay.
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = on');
    database.function(nameKeyFunction, { deterministic: true }, (name) =>
      typeof name === 'string' ? nameKey(name) : null,
    );
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** True for errors that report a damaged file, or one that is no database. */
export function isDamage(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** A full disk or another writer must not keep the server from starting. */
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
 * A small file next to the database that identifies it and counts its guarded states. It reveals a
 * database file that has vanished, was replaced by another, or lost its last commits.
 */
interface RollbackGuard {
  /** The random id of the database, in its header as `application_id`. */
  id: number;
  /**
   * The number of times that the guard was written, in the database's header as `user_version`. It
   * is committed like any other change, so it is lost along with later commits.
   */
  age: number;
}

const maxIds = 2 ** 31 - 1;

/**
 * Reads the guard. Called before the file is opened, which would create an empty one.
 * @throws DatabaseDamaged if the file existed before and is missing now
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

/** Writes the database first, so that the guard never counts more than was committed. */
export function writeRollbackGuard(database: Sqlite.Database, file: string): void {
  const mark = database.transaction(() => increaseAge(database)).immediate();
  // The library's thread has the database open too, and writes the guard independently.
  const temporary = `${rollbackGuardOf(file)}-${process.pid}-${threadId}`;
  const descriptor = openSync(temporary, 'w', 0o600);
  giveToOwner(descriptor, file);
  writeSync(descriptor, JSON.stringify(mark));
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, rollbackGuardOf(file));
}

/** A command that root runs must not take the file from the server's user, nor does SQLite itself. */
function giveToOwner(descriptor: number, file: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(file);
  fchownSync(descriptor, uid, gid);
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
 * Returns null for a guard that cannot be parsed; its existence was checked before. No schema is
 * used for two numbers: loading the schema library would delay the library's thread by a sixth.
 */
function parse(text: string): RollbackGuard | null {
  try {
    const { id, age } = JSON.parse(text) as Partial<Record<string, unknown>>;
    return typeof id === 'number' && typeof age === 'number' ? { id, age } : null;
  } catch {
    return null;
  }
}

/**
 * Locks a separate file for this process, until it is released or the process ends in any way. It
 * uses SQLite, because Node has no file locks.
 * @returns the function that releases it; null if another process holds it
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
