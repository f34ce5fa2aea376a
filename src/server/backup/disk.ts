import type { FileHandle } from 'node:fs/promises';
import { link, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import type { ByteSink } from './archive/archive-writer.ts';

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
