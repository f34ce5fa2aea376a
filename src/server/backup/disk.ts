import type { FileHandle } from 'node:fs/promises';
import { link, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ByteSink } from './archive-format.ts';

/** A file that did not exist before. */
export interface NewFile extends ByteSink {
  /** @param isWhole false: its bytes need not reach the disk, since it is removed */
  close(isWhole: boolean): Promise<void>;
}

/** What backup and restore change on the disk: tests let any of it fail. */
export interface Disk {
  /** Its owner's alone from its first byte. @throws EEXIST */
  create(file: string): Promise<NewFile>;
  /** With the folders above it, each its owner's alone where it is made. */
  makeFolder(folder: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** @throws EEXIST, and others where a file system has no links */
  link(from: string, to: string): Promise<void>;
  /** A file, or a folder with all that it holds; what is gone stays gone. */
  remove(path: string): Promise<void>;
  removeEmptyFolder(folder: string): Promise<void>;
  /** Has names that were made, changed or removed in a folder reach the disk. */
  syncFolder(folder: string): Promise<void>;
  /** Empty for a folder that is not there. */
  list(folder: string): Promise<string[]>;
}

const onlyOwner = { file: 0o600, folder: 0o700 };

export const localDisk: Disk = {
  async create(file) {
    return new LocalFile(await open(file, 'wx', onlyOwner.file));
  },
  async makeFolder(folder) {
    await mkdir(folder, { recursive: true, mode: onlyOwner.folder });
  },
  rename,
  link,
  remove: (path) => rm(path, { recursive: true, force: true }),
  removeEmptyFolder: rmdir,
  async syncFolder(folder) {
    await using handle = await open(folder);
    await handle.sync();
  },
  async list(folder) {
    try {
      return await readdir(folder);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  },
};

class LocalFile implements NewFile {
  private readonly handle: FileHandle;

  constructor(handle: FileHandle) {
    this.handle = handle;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.handle.writeFile(bytes);
  }

  async close(isWhole: boolean): Promise<void> {
    try {
      if (isWhole) await this.handle.sync();
    } finally {
      await this.handle.close();
    }
  }
}

/** A file with these bytes, on the disk when it resolves. */
export async function createFile(disk: Disk, file: string, bytes: Uint8Array): Promise<void> {
  const created = await disk.create(file);
  let isWhole = false;
  try {
    await created.write(bytes);
    isWhole = true;
  } finally {
    await created.close(isWhole);
  }
}

/** Ends the name of an archive that is not whole yet. */
const partialEnd = '.partial';

/** Two processes that write one archive do not write one file. */
export function partialNameOf(file: string): string {
  return `${file}.${process.pid}${partialEnd}`;
}

/**
 * Gives a whole file its name, at once and for good.
 * @param mayReplace a file that has it
 * @throws EEXIST
 */
export async function publish(disk: Disk, partial: string, file: string, mayReplace: boolean): Promise<void> {
  if (mayReplace || !(await tryToLink(disk, partial, file))) await disk.rename(partial, file);
  else await disk.remove(partial);
  await disk.syncFolder(dirname(file));
}

/** A link never replaces a file; false where the file system has none. */
async function tryToLink(disk: Disk, partial: string, file: string): Promise<boolean> {
  try {
    await disk.link(partial, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) return false;
    throw error;
  }
}

/** Names sort by their time. @param at epoch milliseconds */
export function nightlyName(at: number): string {
  return `fourfold-nightly-${stampOf(at)}.tar.gz`;
}

/** What a backup is called that somebody asks for without naming it; no rotation removes it. */
export function manualName(at: number): string {
  return `fourfold-${stampOf(at)}.tar.gz`;
}

/** `2026-11-22T04-00-00Z`: no file system minds it. */
function stampOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
}

const shape = /^fourfold-nightly-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar\.gz$/;

export function isNightlyName(name: string): boolean {
  return shape.test(name);
}

/** What a nightly backup that was cut off has left. */
export function isNightlyPartial(name: string): boolean {
  const [whole = '', rest = ''] = name.split('.tar.gz');
  return isNightlyName(`${whole}.tar.gz`) && rest.endsWith(partialEnd);
}

/** Whether the system said one of these (`ENOSPC`). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** `1 row`, `2 rows`. */
export function formatCount(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** A line of progress. */
export function formatRows(table: string, rows: number): string {
  return `${table}: ${formatCount(rows, 'row')}`;
}
