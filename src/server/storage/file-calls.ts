import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm } from 'node:fs/promises';

/** What changes the disk: tests let any of it fail. */
export interface FileCalls {
  /** With the folders above it. */
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
