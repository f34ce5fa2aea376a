import type { BigIntStats } from 'node:fs';
import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { databaseFileName } from '../folders.ts';
import { isOutOfDescriptors } from './disk-space.ts';

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

/**
 * Opens a file for reading. Null when it is not there, may not be read, or is reached through a link that leads out of
 * the folder.
 * @throws when no descriptor is left
 */
export async function openInside(folder: string, file: Buffer): Promise<FileHandle | null> {
  let handle: FileHandle | undefined;
  try {
    handle = await openForReading(file);
    if (await isOpenedInside(await realpath(folder), file, handle)) return handle;
  } catch (error) {
    if (isOutOfDescriptors(error) && handle === undefined) throw error;
    // Not there, or not readable: the same to whoever asks.
  }
  await handle?.close();
  return null;
}

/**
 * Whether the opened file itself lies below the folder. Its name alone does not tell: a link on the way may lead out
 * while the file is opened, and back in when the name is resolved again.
 */
async function isOpenedInside(folder: string, file: Buffer, handle: FileHandle): Promise<boolean> {
  const opened = await openedPath(handle);
  if (opened !== null) return isBelow(folder, opened);
  const real = await realPathOf(file);
  const [named, own] = await Promise.all([stat(real, { bigint: true }), handle.stat({ bigint: true })]);
  return isBelow(folder, real) && named.dev === own.dev && named.ino === own.ino;
}

/** Where the opened file lies now, as Linux knows it (proc(5), `/proc/pid/fd`); null where the system does not tell. */
async function openedPath(handle: FileHandle): Promise<Buffer | null> {
  if (process.platform !== 'linux') return null;
  return readlink(`/proc/self/fd/${handle.fd}`, 'buffer').catch(() => null);
}

async function realPathOf(file: Buffer): Promise<Buffer> {
  return Buffer.from(await realpath(file, 'latin1'), 'latin1');
}

function isBelow(folder: string, file: Buffer): boolean {
  const start = Buffer.from(folder.endsWith('/') ? folder : `${folder}/`);
  return file.subarray(0, start.length).equals(start);
}

/** Tells two versions of a file apart, and is what the database keeps of one. */
export interface FileVersion {
  size: number;
  /** Epoch microseconds. */
  modifiedUs: number;
}

/**
 * Both within what a double holds exactly, which also fits into 64 bits: file systems give times beyond the year
 * 255,000 and sparse files of exabytes, and a row that a database refuses would end a scan.
 */
export function fileVersionOf({ size, mtimeNs }: Pick<BigIntStats, 'size' | 'mtimeNs'>): FileVersion {
  return { size: clamp(size), modifiedUs: clamp(mtimeNs / 1000n) };
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);

function clamp(value: bigint): number {
  if (value > largest) return Number.MAX_SAFE_INTEGER;
  return value < -largest ? Number.MIN_SAFE_INTEGER : Number(value);
}
