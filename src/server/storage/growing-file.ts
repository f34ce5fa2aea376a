import type { FileHandle } from 'node:fs/promises';
import type { FileCalls } from './file-calls.ts';
import type { GrowingFile } from './storage.ts';

/** A file of the local disk that grows at its end. */
export class DiskGrowingFile implements GrowingFile {
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

/** A write may take less than it was given. */
function afterBytes(chunks: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let left = bytes;
  const rest: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (left < chunk.length) rest.push(chunk.subarray(left));
    left = Math.max(0, left - chunk.length);
  }
  return rest;
}
