import type { FileHandle } from 'node:fs/promises';
import { openInside } from '../../../storage/local-file.ts';
import type { Storage } from '../../../storage/storage.ts';
import { filePathOf } from '../../library/paths/file-names.ts';
import type { Candidate } from './intake-repository.ts';

/** The first of some videos whose file holds exactly the bytes of another file; null when none does. */
export async function findSameBytes<Found extends Pick<Candidate, 'folder' | 'path'>>(
  storage: Storage,
  name: string,
  size: number,
  candidates: readonly Found[],
): Promise<Found | null> {
  for (const candidate of candidates) {
    await using handle = await openInside(candidate.folder, Buffer.from(filePathOf(candidate.folder, candidate.path)));
    if (handle !== null && (await isSame(handle, storage.readRange(name, 0, size)))) return candidate;
  }
  return null;
}

async function isSame(handle: FileHandle, bytes: AsyncIterable<Uint8Array>): Promise<boolean> {
  let at = 0;
  for await (const chunk of bytes) {
    const other = Buffer.allocUnsafe(chunk.length);
    for (let filled = 0; filled < other.length; ) {
      const { bytesRead } = await handle.read(other, filled, other.length - filled, at + filled);
      if (bytesRead === 0) return false;
      filled += bytesRead;
    }
    if (!other.equals(chunk)) return false;
    at += chunk.length;
  }
  return true;
}
