import type { BigIntStats } from 'node:fs';
import { closeSync, constants, openSync, readlinkSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readlink, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { databaseFileName } from '../folders.ts';
import { isOutOfDescriptors } from './disk-space.ts';

/**
 * O_PATH of linux/fcntl.h, for which Node has no constant: a descriptor that refers to the path
 * alone. Closing it drops no locks, since the file itself was not opened.
 */
const nameOnly = 0o10000000;
/** O_NONBLOCK keeps `open` from waiting for a writer if a pipe has replaced the file. */
const reading = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens the file at an untrusted path, following links, but never a database file: closing one
 * would drop the SQLite locks of the whole process (decision 0016), and anyone who can write to a
 * library folder can put such a link there. Only Linux has this check; other systems open the path
 * as it is.
 * @throws as `open` does
 */
export async function openForReading(file: Buffer): Promise<FileHandle> {
  if (process.platform !== 'linux') return open(file, reading);
  await using named = await open(file, nameOnly);
  const path = pathOf(named.fd);
  const real = await readlink(path).catch(() => null);
  // The real path is unknown without /proc, so the given path is opened.
  if (real === null) return open(file, reading);
  refuseDatabase(real);
  return await open(path, reading);
}

/** The blocking form of `openForReading`, for worker threads. @returns the descriptor */
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

/** SQLite's `-wal` and `-shm` files start with the database's name. */
function refuseDatabase(real: string): void {
  if (basename(real).startsWith(databaseFileName)) throw new Error(`${real} is opened by SQLite alone.`);
}

/**
 * Opens a file for reading. Null if it does not exist, may not be read, or is reached through a
 * link that leads out of the folder.
 * @throws when no descriptor is left
 */
export async function openInside(folder: string, file: Buffer): Promise<FileHandle | null> {
  let handle: FileHandle | undefined;
  try {
    handle = await openForReading(file);
    if (await isOpenedInside(await realpath(folder), file, handle)) return handle;
  } catch (error) {
    if (isOutOfDescriptors(error) && handle === undefined) throw error;
    // Callers treat a missing and an unreadable file alike.
  }
  await handle?.close();
  return null;
}

/**
 * Whether the opened file itself is inside the folder. The path alone is not enough: a link on it
 * may lead out of the folder while the file is opened, and back in when the path is resolved.
 */
async function isOpenedInside(folder: string, file: Buffer, handle: FileHandle): Promise<boolean> {
  const opened = await openedPath(handle);
  if (opened !== null) return isBelow(folder, opened);
  const real = await realPathOf(file);
  const [named, own] = await Promise.all([stat(real, { bigint: true }), handle.stat({ bigint: true })]);
  return isBelow(folder, real) && named.dev === own.dev && named.ino === own.ino;
}

/**
 * The current path of the opened file, read from `/proc/self/fd` (proc(5)); null on other systems.
 */
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

/**
 * Size and modification time, which tell two versions of a file apart. The database stores both.
 */
export interface FileVersion {
  size: number;
  /** Epoch microseconds. */
  modifiedUs: number;
}

/**
 * Clamps both values to safe integers, which also fit into 64 bits. File systems can report times
 * beyond the year 255,000 and sparse files of exabytes, and a row that the database refuses would
 * end a scan.
 */
export function fileVersionOf({ size, mtimeNs }: Pick<BigIntStats, 'size' | 'mtimeNs'>): FileVersion {
  return { size: clamp(size), modifiedUs: clamp(mtimeNs / 1000n) };
}

/**
 * Whether the facts of a file are those of the expected version. Only that file may be sent as a
 * video: not one that replaced it, and not one that is still being written.
 */
export function isVersion(facts: BigIntStats, { size, modifiedUs }: FileVersion): boolean {
  const version = fileVersionOf(facts);
  return facts.isFile() && version.size === size && version.modifiedUs === modifiedUs;
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);

function clamp(value: bigint): number {
  if (value > largest) return Number.MAX_SAFE_INTEGER;
  return value < -largest ? Number.MIN_SAFE_INTEGER : Number(value);
}
