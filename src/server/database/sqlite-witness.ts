import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import type Sqlite from 'better-sqlite3';
import { z } from 'zod';
import { secureRandomBelow } from '../ids.ts';
import { sayExchanged, sayGone, sayOlder, witnessOf } from './damage.ts';

/**
 * A small file beside the database that remembers it. Without it, a database file that vanished, was exchanged, or lost the last of what was
 * committed would look like one that is new, another, or whole.
 */
const witnessSchema = z.object({
  /** The database's own, in its header as `application_id`. */
  id: z.number(),
  /** How often the database was witnessed, in its header as `user_version`: a committed change like any other, so it is lost when they are. */
  age: z.number(),
});
type Witness = z.infer<typeof witnessSchema>;

const mostIds = 2 ** 31 - 1;

/** Before the file is opened, which would make an empty one. @throws DatabaseDamaged when it was there and is not any more */
export function readWitness(file: string): Witness | null {
  const text = readText(witnessOf(file));
  if (text !== null && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) throw sayGone(file);
  return text === null ? null : parse(text);
}

/** @throws DatabaseDamaged */
export function compareWithWitness(database: Sqlite.Database, file: string, witness: Witness | null): void {
  const mark = readMark(database);
  if (witness === null) return;
  if (mark.id !== witness.id) throw sayExchanged(file);
  if (mark.age < witness.age) throw sayOlder(file);
}

/** The database first, so that the witness never knows of more than was committed. */
export function bearWitness(database: Sqlite.Database, file: string): void {
  const mark = database.transaction(() => growOlder(database)).immediate();
  // The library's thread has the database open too, and witnesses it by itself.
  const temporary = `${witnessOf(file)}-${process.pid}-${threadId}`;
  const descriptor = openSync(temporary, 'w', 0o600);
  writeSync(descriptor, JSON.stringify(mark));
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(temporary, witnessOf(file));
}

function growOlder(database: Sqlite.Database): Witness {
  const { id, age } = readMark(database);
  const mark = { id: id === 0 ? 1 + secureRandomBelow(mostIds) : id, age: age + 1 };
  if (id === 0) database.pragma(`application_id = ${mark.id}`);
  database.pragma(`user_version = ${mark.age}`);
  return mark;
}

function readMark(database: Sqlite.Database): Witness {
  return witnessSchema.parse({ id: database.pragma('application_id', { simple: true }), age: database.pragma('user_version', { simple: true }) });
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Null for a witness that can no longer speak: that it is there has been said already. */
function parse(text: string): Witness | null {
  try {
    return witnessSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
