import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RemoteCopies } from '../../storage/remote-copies.ts';
import type { Encodings } from '../encodings/encodings.ts';
import type { Posters } from '../videos/posters.ts';

/** Files whose size is read at once. More would take the file system's threads from other work. */
const statsAtOnce = 4;

/** The folders of files that can be made or fetched again. */
export interface CacheFolders {
  /** Fetched files. */
  cache: string;
  /** Files made from videos. */
  posters: string;
  derived: string;
}

export async function measureCaches({ cache, posters, derived }: CacheFolders): Promise<number> {
  return (await measureCache(cache)) + (await measureCache(posters)) + (await measureCache(derived));
}

/** Bytes of the files in a folder. A file that is deleted meanwhile counts 0. */
export async function measureCache(folder: string): Promise<number> {
  const files = await listFiles(folder);
  let bytes = 0;
  const measure = async () => {
    for (let file = files.pop(); file !== undefined; file = files.pop()) {
      const facts = await stat(file).catch(() => null);
      bytes += facts?.size ?? 0;
    }
  };
  await Promise.all(Array.from({ length: statsAtOnce }, measure));
  return bytes;
}

/**
 * Deletes the generated and fetched files; originals are stored elsewhere. Posters are made again
 * at once, encodings when they are needed. Encodings that are playing stay. Posters come last: on a
 * full disk, they can only go once the others have made room.
 * @returns the freed bytes
 */
export async function clearCaches(
  folders: CacheFolders,
  posters: Pick<Posters, 'clear' | 'queueMissing'>,
  encodings: Pick<Encodings, 'clear'>,
  copies: Pick<RemoteCopies, 'clear' | 'folder'>,
): Promise<number> {
  const bytes = await measureCaches(folders);
  // Copies that a program reads stay.
  await copies.clear();
  for (const name of await readdir(folders.cache).catch(() => []))
    if (join(folders.cache, name) !== copies.folder) await rm(join(folders.cache, name), { recursive: true });
  await encodings.clear();
  await posters.clear();
  const left = await measureCaches(folders);
  void posters.queueMissing();
  return Math.max(0, bytes - left);
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    // A missing folder is an empty cache.
    return [];
  }
}
