import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of what was fetched or derived and can be had again. */
export async function measureCache(folder: string): Promise<number> {
  const sizes = await Promise.all((await listFiles(folder)).map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
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
