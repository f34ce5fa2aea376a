import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The server's own files, by names with slashes: a disk, or something that behaves like one. */
export interface Storage {
  /** Stores a whole file and replaces an existing one. Readers never see a partial file. */
  put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Opens a file for appending; creates an empty one if it does not exist. */
  openGrowing(name: string): Promise<GrowingFile>;
  /** Cuts a file off at a size. Does nothing if the file is shorter or does not exist. */
  truncate(name: string, size: number): Promise<void>;
  /** Null if the file does not exist. */
  size(name: string): Promise<number | null>;
  /** Reads a range in chunks of at most 1 MiB. @param end exclusive */
  readRange(name: string, start: number, end: number): AsyncIterable<Uint8Array>;
  /**
   * Renames a file atomically and durably: after a power cut it has either the old or the new name.
   */
  rename(from: string, to: string): Promise<void>;
  /** Moves a file of this machine into the storage. @param file absolute path */
  adopt(file: string, name: string): Promise<void>;
  /** Does nothing if the file does not exist. */
  remove(name: string): Promise<void>;
  /** Names of the files and folders directly below a folder. */
  list(folder: string): Promise<string[]>;
  /** Absolute path of the file, for programs and threads of this machine. */
  localFile(name: string): string;
}

/**
 * A file that is open for appending. Only synced bytes survive a power cut. After a call has
 * failed, only `close` may be called: the system may lose the bytes it still buffers without
 * another error.
 */
export interface GrowingFile {
  readonly size: number;
  /** Adds bytes at the end. */
  append(chunks: readonly Uint8Array[]): Promise<void>;
  truncate(size: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

const growing = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const shrinking = constants.O_RDWR | constants.O_NOFOLLOW;
const readBytes = 1024 * 1024;
const besideSuffix = '.part';

/** A folder of the local disk that only its owner may read. */
export class DiskStorage implements Storage {
  private readonly folder: string;
  private readonly calls: FileCalls;
  /** Absolute paths of folders that exist and whose names are synced to the disk. */
  private readonly madeFolders = new Set<string>();

  /** @param folder absolute */
  constructor(folder: string, calls: FileCalls = systemFileCalls) {
    this.folder = folder;
    this.calls = calls;
  }

  async put(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const beside = `${name}${besideSuffix}`;
    const file = await this.openGrowing(beside);
    try {
      await file.truncate(0);
      for await (const chunk of bytes) await file.append([chunk]);
      await file.sync();
    } finally {
      await file.close();
    }
    await this.rename(beside, name);
  }

  async openGrowing(name: string): Promise<GrowingFile> {
    const file = this.localFile(name);
    const isNew = (await this.size(name)) === null;
    const handle = await this.inFolder(dirname(file), () => this.calls.open(file, growing));
    try {
      if (isNew) await this.syncPath(dirname(file));
      return new DiskGrowingFile(handle, (await handle.stat()).size, this.calls);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async truncate(name: string, size: number): Promise<void> {
    const handle = await this.calls.open(this.localFile(name), shrinking).catch(nullWhenMissing);
    if (handle === null) return;
    try {
      if ((await handle.stat()).size > size) await this.calls.truncate(handle, size);
    } finally {
      await handle.close();
    }
  }

  async size(name: string): Promise<number | null> {
    const facts = await stat(this.localFile(name)).catch(nullWhenMissing);
    return facts?.isFile() === true ? facts.size : null;
  }

  async *readRange(name: string, start: number, end: number): AsyncIterable<Uint8Array> {
    await using handle = await open(this.localFile(name));
    for (let at = start; at < end; ) {
      const length = Math.min(readBytes, end - at);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) throw new RangeError('The file is shorter than it was.');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  async rename(from: string, to: string): Promise<void> {
    const [fromFile, toFile] = [this.localFile(from), this.localFile(to)];
    await this.inFolder(dirname(toFile), () => this.calls.rename(fromFile, toFile));
    // The new name is synced first, so the file always has at least one name on the disk.
    await this.syncPath(dirname(toFile));
    if (dirname(fromFile) !== dirname(toFile)) await this.syncPath(dirname(fromFile));
  }

  async adopt(file: string, name: string): Promise<void> {
    const adopted = this.localFile(name);
    await this.syncPath(file);
    try {
      await this.inFolder(dirname(adopted), () => this.calls.rename(file, adopted));
      await this.syncPath(dirname(adopted));
    } catch (error) {
      if (!isOtherDisk(error)) throw error;
      await this.put(name, createReadStream(file, { highWaterMark: readBytes }));
      await this.calls.remove(file);
    }
  }

  async remove(name: string): Promise<void> {
    await this.calls.remove(this.localFile(name));
  }

  async list(folder: string): Promise<string[]> {
    return (await readdir(this.localFile(folder)).catch(nullWhenMissing)) ?? [];
  }

  localFile(name: string): string {
    return join(this.folder, name);
  }

  /**
   * Runs work in a folder. If the folder has been removed since, it is created again and the work
   * is repeated.
   */
  private async inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
    await this.makeFolder(folder);
    try {
      return await work();
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.madeFolders.clear();
      await this.makeFolder(folder);
      return work();
    }
  }

  private async makeFolder(folder: string): Promise<void> {
    if (this.madeFolders.has(folder)) return;
    await this.calls.makeFolder(folder);
    for (let made = folder; made.length >= this.folder.length; made = dirname(made)) await this.syncPath(dirname(made));
    this.madeFolders.add(folder);
  }

  private async syncPath(path: string): Promise<void> {
    const handle = await this.calls.open(path, 'r');
    try {
      await this.calls.sync(handle);
    } finally {
      await handle.close();
    }
  }
}

/** True if a rename failed because the two paths are on different disks. */
function isOtherDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EXDEV';
}

function nullWhenMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

class DiskGrowingFile implements GrowingFile {
  private readonly handle: FileHandle;
  private readonly calls: FileCalls;
  private length: number;
  private hasFailed = false;

  constructor(handle: FileHandle, size: number, calls: FileCalls) {
    this.handle = handle;
    this.length = size;
    this.calls = calls;
  }

  get size(): number {
    return this.length;
  }

  append(chunks: readonly Uint8Array[]): Promise<void> {
    return this.attempt(async () => {
      for (let rest = chunks; rest.length > 0; ) {
        const written = await this.calls.write(this.handle, rest, this.length);
        if (written === 0) throw new Error('The disk takes nothing more.');
        this.length += written;
        rest = afterBytes(rest, written);
      }
    });
  }

  truncate(size: number): Promise<void> {
    return this.attempt(async () => {
      await this.calls.truncate(this.handle, size);
      this.length = size;
    });
  }

  sync(): Promise<void> {
    return this.attempt(() => this.calls.sync(this.handle));
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    if (this.hasFailed) throw new Error('This file failed before.');
    try {
      await work();
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}

/** The chunks that are left after a partial write of so many bytes. */
function afterBytes(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  const rest: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (left < chunk.length) rest.push(chunk.subarray(left));
    left = Math.max(0, left - chunk.length);
  }
  return rest;
}

/** The calls that change the disk. Tests make them fail. */
export interface FileCalls {
  /** Creates missing parent folders too. */
  makeFolder(folder: string): Promise<unknown>;
  open(file: string, flags: string | number): Promise<FileHandle>;
  write(handle: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<number>;
  truncate(handle: FileHandle, size: number): Promise<void>;
  sync(handle: FileHandle): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(file: string): Promise<void>;
}

const onlyOwner = { file: 0o600, folder: 0o700 };

export const systemFileCalls: FileCalls = {
  makeFolder: (folder) => mkdir(folder, { recursive: true, mode: onlyOwner.folder }),
  open: (file, flags) => open(file, flags, onlyOwner.file),
  async write(handle, chunks, position) {
    return (await handle.writev(chunks, position)).bytesWritten;
  },
  truncate: (handle, size) => handle.truncate(size),
  sync: (handle) => handle.sync(),
  rename,
  remove: (file) => rm(file, { force: true }),
};
