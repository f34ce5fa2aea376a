import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Encodings } from '../encodings/encodings.ts';
import type { Posters } from '../videos/posters.ts';

/** Files that are asked for their size at once: more would keep the threads of the file system from everybody else. */
const statsAtOnce = 4;

/** Where what can be had again lies. */
export interface CacheFolders {
  /** What was fetched. */
  cache: string;
  /** What was made of videos. */
  posters: string;
  derived: string;
}

export async function measureCaches({ cache, posters, derived }: CacheFolders): Promise<number> {
  return (await measureCache(cache)) + (await measureCache(posters)) + (await measureCache(derived));
}

/** Bytes of what was fetched or derived and can be had again. A file that goes meanwhile counts nothing. */
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
 * Empties the cache; originals live elsewhere. Posters are made anew from here on, encodings when they are
 * needed again; those that play stay.
 * @returns the bytes that are free again
 */
export async function clearCaches(
  folders: CacheFolders,
  posters: Pick<Posters, 'clear' | 'queueMissing'>,
  encodings: Pick<Encodings, 'clear'>,
): Promise<number> {
  const bytes = await measureCaches(folders);
  await posters.clear();
  await encodings.clear();
  await rm(folders.cache, { recursive: true, force: true });
  const left = await measureCaches(folders);
  void posters.queueMissing();
  return Math.max(0, bytes - left);
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch {
    // No folder yet: nothing was kept.
    return [];
  }
}
