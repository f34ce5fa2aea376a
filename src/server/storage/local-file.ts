import type { FileHandle } from 'node:fs/promises';
import { readlink, realpath, stat } from 'node:fs/promises';
import { openForReading } from './open-for-reading.ts';
import { isOutOfDescriptors } from './system-limits.ts';

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
