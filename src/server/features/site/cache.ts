import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that are asked for their size at once: more would keep the threads of the file system from everybody else. */
const statsAtOnce = 4;

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

/** Empties the cache folder; originals live elsewhere. @returns the bytes that are free again */
export async function clearCache(folder: string): Promise<number> {
  const bytes = await measureCache(folder);
  await rm(folder, { recursive: true, force: true });
  return bytes;
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
