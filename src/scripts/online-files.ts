import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appFolder } from './build-stamp.ts';

/**
 * Modules that are of no use without the server. Each has something that stands in its place where its file cannot be
 * loaded, by `lazyPart`; Markdown stands as it was written. What an address from outside opens (signing in, an
 * invitation, the code of a TV) is not among them: it may find an older version here, whose files are gone from the
 * server.
 */
export const onlineModules: readonly string[] = [
  'src/app/features/admin/admin-screen.tsx',
  'src/app/features/auth/device-code-panel.tsx',
  'src/app/features/performance/performance-screen.tsx',
  'src/app/features/plans/plans-dialog.tsx',
  'src/app/features/profile/account-dialog.tsx',
  'src/app/features/upload/phone-panel.tsx',
  'src/app/features/upload/eula-dialog.tsx',
  'src/app/features/upload/history-section.tsx',
  'src/app/ui/markdown-text.tsx',
];

/**
 * Files that these modules alone need. The worker does not keep them.
 * @param folder of the built app
 * @returns paths in it
 * @throws for a module that the build does not load later
 */
export async function listOnlineFiles(folder: string): Promise<Set<string>> {
  const manifest: BuildManifest = JSON.parse(await readFile(join(folder, '.vite', 'manifest.json'), 'utf8'));
  const unknown = onlineModules.filter((module) => !manifest[module]?.isDynamicEntry);
  if (unknown.length > 0) throw new Error(`Not loaded later by the app: ${unknown.join(', ')}`);
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
  const neededOffline = filesFrom(manifest, entries, onlineModules);
  return new Set([...filesFrom(manifest, onlineModules)].filter((file) => !neededOffline.has(file)));
}

/** Of the chunks that are loaded from `keys` on, at once or later; `except` are not looked into. */
function filesFrom(manifest: BuildManifest, keys: readonly string[], except: readonly string[] = []): Set<string> {
  const files = new Set<string>();
  const seen = new Set(except);
  const waiting = [...keys];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    const chunk = manifest[key];
    if (!chunk || seen.has(key)) continue;
    seen.add(key);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    waiting.push(...(chunk.imports ?? []), ...(chunk.dynamicImports ?? []));
  }
  return files;
}

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
