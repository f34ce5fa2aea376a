import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describeBroken } from './damage.ts';
import { compareWithRollbackGuard, readRollbackGuard, writeRollbackGuard } from './rollback-guard.ts';

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
