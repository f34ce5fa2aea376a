import type { BigIntStats } from 'node:fs';
import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, opendir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Ids } from '../ids.ts';
import { createIds } from '../ids.ts';
import type { DiskBytes } from './disk-space.ts';
import { DiskSpace } from './disk-space.ts';
import { fileVersionOf } from './open-for-reading.ts';
import { SharedFiles } from './shared-files.ts';
import type {
  ExpectedFile,
  FileContent,
  GrowingFile,
  ListedFile,
  LocalFile,
  OpenedFile,
  Storage,
  StoredFile,
} from './storage.ts';

const growing = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const shrinking = constants.O_RDWR | constants.O_NOFOLLOW;
const readBytes = 1024 * 1024;
/** The folder of files that do not have their name yet. */
export const incomingFolder = 'incoming';

interface DiskStorageDeps {
  ids: Pick<Ids, 'long'>;
  calls: FileCalls;
  files: SharedFiles;
  diskSpace: Pick<DiskSpace, 'read'>;
}

/** A folder of the local disk that only its owner may read. */
export class DiskStorage implements Storage {
  readonly clockMarginMs = 0;
  private readonly folder: string;
  private readonly calls: FileCalls;
  private readonly files: SharedFiles;
  private readonly diskSpace: Pick<DiskSpace, 'read'>;
  private readonly ids: Pick<Ids, 'long'>;
  /** Absolute paths of folders that exist and whose names are synced to the disk. */
  private readonly madeFolders = new Set<string>();

  /** @param folder absolute */
  constructor(folder: string, { calls, files, diskSpace, ids }: Partial<DiskStorageDeps> = {}) {
    this.folder = folder;
    this.calls = calls ?? systemFileCalls;
    this.files = files ?? new SharedFiles(systemClock);
    this.diskSpace = diskSpace ?? new DiskSpace();
    this.ids = ids ?? createIds(systemClock);
  }

  async find(name: string): Promise<StoredFile | null> {
    const facts = await stat(this.pathOf(name), { bigint: true }).catch(nullWhenMissing);
    return facts?.isFile() === true ? toStoredFile(facts) : null;
  }

  async *list(prefix: string): AsyncIterable<ListedFile> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const opened = await opendir(this.pathOf(folder), { recursive: true }).catch(nullWhenMissing);
    if (opened === null) return;
    const start = this.pathOf('').length + 1;
    for await (const entry of opened) {
      if (!entry.isFile()) continue;
      const name = join(entry.parentPath, entry.name).slice(start);
      const found = name.startsWith(prefix) ? await this.find(name) : null;
      if (found !== null) yield { name, ...found };
    }
  }

  async put(name: string, bytes: AsyncIterable<Uint8Array>, { modifiedUs }: Partial<FileContent> = {}): Promise<void> {
    const incoming = `${incomingFolder}/${this.ids.long()}`;
    try {
      const file = await this.openGrowing(incoming);
      try {
        for await (const chunk of bytes) await file.append([chunk]);
        await file.sync();
      } finally {
        await file.close();
      }
      if (modifiedUs !== undefined) await setModified(this.pathOf(incoming), modifiedUs);
      await this.rename(incoming, name);
    } catch (error) {
      // A leftover that cannot be removed now is removed by a later sweep.
      await this.remove(incoming).catch(() => {});
      throw error;
    }
  }

  async publish(file: string, name: string): Promise<void> {
    const published = this.pathOf(name);
    await this.syncPath(file);
    try {
      await this.inFolder(dirname(published), () => this.calls.rename(file, published));
    } catch (error) {
      if (!isOtherDisk(error)) throw error;
      await this.put(name, createReadStream(file, { highWaterMark: readBytes }));
      await this.calls.remove(file);
      return;
    }
    await this.syncPath(dirname(published));
  }

  async remove(name: string): Promise<void> {
    await this.calls.remove(this.pathOf(name));
  }

  async read(name: string): Promise<Buffer | null> {
    return readFile(this.pathOf(name)).catch(nullWhenMissing);
  }

  open(name: string, expected: ExpectedFile): Promise<OpenedFile> {
    return this.files.open(expected, { folder: this.folder, file: Buffer.from(this.pathOf(name)) });
  }

  async local(name: string): Promise<LocalFile | null> {
    if ((await this.find(name)) === null) return null;
    return { path: this.pathOf(name), async [Symbol.asyncDispose]() {} };
  }

  space(): Promise<DiskBytes | null> {
    return this.diskSpace.read(this.folder);
  }

  async openGrowing(name: string): Promise<GrowingFile> {
    const file = this.pathOf(name);
    const isNew = (await this.find(name)) === null;
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
    const handle = await this.calls.open(this.pathOf(name), shrinking).catch(nullWhenMissing);
    if (handle === null) return;
    try {
      if ((await handle.stat()).size > size) await this.calls.truncate(handle, size);
    } finally {
      await handle.close();
    }
  }

  async *readRange(name: string, start: number, end: number): AsyncIterable<Uint8Array> {
    await using handle = await open(this.pathOf(name));
    for (let at = start; at < end; ) {
      const length = Math.min(readBytes, end - at);
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) throw new RangeError('The file is shorter than it was.');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  async rename(from: string, to: string): Promise<void> {
    const [fromFile, toFile] = [this.pathOf(from), this.pathOf(to)];
    await this.inFolder(dirname(toFile), () => this.calls.rename(fromFile, toFile));
    // The new name is synced first, so the file always has at least one name on the disk.
    await this.syncPath(dirname(toFile));
    if (dirname(fromFile) !== dirname(toFile)) await this.syncPath(dirname(fromFile));
  }

  private pathOf(name: string): string {
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

/** Half a microsecond more: the system rounds down what a floating-point number of seconds gives. */
function setModified(file: string, modifiedUs: number): Promise<void> {
  const seconds = (modifiedUs + 0.5) / 1e6;
  return utimes(file, seconds, seconds);
}

function toStoredFile(facts: BigIntStats): StoredFile {
  const { size, modifiedUs } = fileVersionOf(facts);
  return { bytes: size, modifiedUs };
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
