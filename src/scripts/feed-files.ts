import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appFolder } from './build-stamp.ts';

interface Chunk {
  file: string;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
  isEntry?: boolean;
  isDynamicEntry?: boolean;
}

/** What the bundler says of what it built. */
export type BuildManifest = Record<string, Chunk>;

export async function readBuildManifest(): Promise<BuildManifest> {
  return JSON.parse(await readFile(join(appFolder, '.vite', 'manifest.json'), 'utf8'));
}

/** The files that a chunk needs before it can run: itself, what it imports statically, and their style sheets. */
export function collectFiles(manifest: BuildManifest, key: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  for (const file of chunk.css ?? []) seen.add(file);
  for (const next of chunk.imports ?? []) collectFiles(manifest, next, seen);
  return seen;
}

/**
 * What the feed is drawn and played with: the engine, and the views that the page loads beside it. The page itself
 * comes on top.
 * @returns paths in the app's folder
 */
export function feedFilesOf(manifest: BuildManifest): Set<string> {
  const loaded = ['src/app/engine.ts', 'src/app/draw-app.tsx'];
  const keys = Object.keys(manifest).filter((key) => manifest[key]?.isEntry || loaded.includes(key));
  if (keys.length !== 3) throw new Error('The build does not name the engine and the views: nothing could be weighed.');
  return new Set(keys.flatMap((key) => [...collectFiles(manifest, key)]));
}
