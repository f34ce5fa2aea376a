import type { FileHandle } from 'node:fs/promises';
import { link, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredBackup } from '#contract/entities/site.ts';
import type { ByteSink } from './archive-format.ts';

/** A new file that is being written. */
export interface NewFile extends ByteSink {
  /** @param isWhole false: the file is about to be removed, so it need not be synced */
  close(isWhole: boolean): Promise<void>;
}

/** The file operations of backup and restore. Tests make them fail. */
export interface Disk {
  /** Creates a file that only its owner may read, from the first byte on. @throws EEXIST */
  create(file: string): Promise<NewFile>;
  /** Creates missing parent folders too. Only their owner may read the new ones. */
  makeFolder(folder: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** @throws EEXIST, or another error on a file system without hard links */
  link(from: string, to: string): Promise<void>;
  /** Removes a file, or a folder with its content. Does nothing if the path does not exist. */
  remove(path: string): Promise<void>;
  removeEmptyFolder(folder: string): Promise<void>;
  /** Makes created, renamed and removed names of a folder durable. */
  syncFolder(folder: string): Promise<void>;
  /** Empty if the folder does not exist. */
  list(folder: string): Promise<string[]>;
}

/** Rotation keeps this many nightly backups that are whole. */
export const keptBackups = 7;

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

/** Creates a file with these bytes and syncs it to the disk. */
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

/** File name ending of an incomplete archive. */
const partialEnd = '.partial';

/** The process id keeps two processes that write the same archive from sharing a file. */
export function partialNameOf(file: string): string {
  return `${file}.${process.pid}${partialEnd}`;
}

/**
 * Renames a complete file to its final name, atomically and durably.
 * @param mayReplace whether an existing file may be replaced
 * @throws EEXIST
 */
export async function publish(disk: Disk, partial: string, file: string, mayReplace: boolean): Promise<void> {
  if (mayReplace || !(await tryToLink(disk, partial, file))) await disk.rename(partial, file);
  else await disk.remove(partial);
  await disk.syncFolder(dirname(file));
}

/** Makes a hard link, which never replaces a file. False if the file system has no hard links. */
async function tryToLink(disk: Disk, partial: string, file: string): Promise<boolean> {
  try {
    await disk.link(partial, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) return false;
    throw error;
  }
}

/** The file name of a nightly backup. Names sort by time. @param at epoch milliseconds */
export function nightlyName(at: number): string {
  return `fourfold-nightly-${stampOf(at)}.tar.gz`;
}

/** The default name of a backup that a person makes. Rotation never removes it. */
export function manualName(at: number): string {
  return `fourfold-${stampOf(at)}.tar.gz`;
}

/** `2026-11-22T04-00-00Z`, without characters that a file system could refuse. */
function stampOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
}

const shape = /^fourfold-nightly-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar\.gz$/;

export function isNightlyName(name: string): boolean {
  return shape.test(name);
}

/** The latest nightly backups in a folder, latest first. */
export async function listNightlyBackups(folder: string): Promise<StoredBackup[]> {
  const names = (await localDisk.list(folder)).filter(isNightlyName).sort().reverse().slice(0, keptBackups);
  const files = names.map((name) => join(folder, name));
  const facts = await Promise.all(files.map((file) => stat(file)));
  return facts.map(({ size, mtime }, at) => ({ at: mtime.toISOString(), file: files[at] ?? '', bytes: size }));
}

/** Whether a name is that of an incomplete file from an interrupted nightly backup. */
export function isNightlyPartial(name: string): boolean {
  const [whole = '', rest = ''] = name.split('.tar.gz');
  return isNightlyName(`${whole}.tar.gz`) && rest.endsWith(partialEnd);
}

/** Whether an error has one of these system codes, such as `ENOSPC`. */
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
