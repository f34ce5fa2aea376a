import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import { secureRandomBelow } from '../ids.ts';
import { describeExchanged, describeGone, describeOlder, rollbackGuardOf } from './damage.ts';

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
