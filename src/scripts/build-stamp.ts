import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

export const projectFolder = join(import.meta.dirname, '..', '..');
export const appFolder = join(projectFolder, '.build', 'app');
const stampName = '.built-from';

/** The files and folders that the built app depends on. */
const sources = [
  'index.html',
  'manifest.webmanifest',
  'package-lock.json',
  'vite.config.ts',
  'public',
  'src/app',
  'src/contract',
  'src/device',
  'src/scripts',
  'sw',
];

/** Hashes the names and contents of all sources of the app. */
export async function readSourceStamp(): Promise<string> {
  const files = (await Promise.all(sources.map(listFiles))).flat().sort();
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(relative(projectFolder, file))
      .update('\0')
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

async function listFiles(source: string): Promise<string[]> {
  const path = join(projectFolder, source);
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [path];
    throw error;
  }
}

/** The stamp of the app in `.build/app`; null if there is no complete build. */
export async function readBuildStamp(): Promise<string | null> {
  return readFile(join(appFolder, stampName), 'utf8').catch(() => null);
}

/** Marks a build as complete, so it must be called last. */
export async function writeBuildStamp(folder: string, stamp: string): Promise<void> {
  await writeFile(join(folder, stampName), stamp);
}
