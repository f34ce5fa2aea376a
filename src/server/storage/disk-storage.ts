import { constants, createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FileCalls } from './file-calls.ts';
import { systemFileCalls } from './file-calls.ts';
import { DiskGrowingFile } from './growing-file.ts';
import type { GrowingFile, Storage } from './storage.ts';

const growing = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const shrinking = constants.O_RDWR | constants.O_NOFOLLOW;
const readBytes = 1024 * 1024;
const besideSuffix = '.part';

/** A folder of the local disk, its owner's alone. */
export class DiskStorage implements Storage {
  private readonly folder: string;
  private readonly calls: FileCalls;
  /** Folders that are there, with their names on the disk. */
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
    // The new name first: between the two the file is found by both, never by none.
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

  /** A folder that was there before may have been removed by somebody: it is made once more. */
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

/** A name cannot be moved from one disk to another. */
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
