import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { databaseFileName } from '../folders.ts';

/**
 * linux/fcntl.h, which Node does not name: a descriptor of the name alone. Closing it drops no locks, since nothing was
 * opened.
 */
const nameOnly = 0o10000000;
/** O_NONBLOCK: opening a pipe that took the file's place must not wait for a writer. */
const reading = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens the file that a name from outside leads to, a link included; but never one of the database's: closing that
 * would drop the locks of the whole process (decision 0016), and whoever may write to a library's folder can put a link
 * there. Systems other than Linux open by the name.
 * @throws as `open` does
 */
export async function openForReading(file: Buffer): Promise<FileHandle> {
  if (process.platform !== 'linux') return open(file, reading);
  await using named = await open(file, nameOnly);
  const path = pathOf(named.fd);
  const real = await readlink(path).catch(() => null);
  // Without /proc there is the name alone.
  if (real === null) return open(file, reading);
  refuseDatabase(real);
  return await open(path, reading);
}

/** The same for a thread that may wait. @returns the descriptor */
export function openForReadingSync(file: string | Buffer): number {
  if (process.platform !== 'linux') return openSync(file, reading);
  const named = openSync(file, nameOnly);
  try {
    const path = pathOf(named);
    const real = tryToReadLink(path);
    if (real === null) return openSync(file, reading);
    refuseDatabase(real);
    return openSync(path, reading);
  } finally {
    closeSync(named);
  }
}

function pathOf(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

function tryToReadLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** SQLite's log and its index begin with the same name. */
function refuseDatabase(real: string): void {
  if (basename(real).startsWith(databaseFileName)) throw new Error(`${real} is opened by SQLite alone.`);
}
