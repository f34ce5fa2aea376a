import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { appFolder } from './build-stamp.ts';

/**
 * Modules that are useless without the server, so that the worker does not keep them. `lazyPart` shows a
 * replacement when their file cannot be loaded; Markdown is shown as plain text. A module that an external link opens
 * (signing in, an invitation, the code of a TV) must not be added: the link may open an older app, whose files the
 * server no longer has.
 */
export const onlineModules: readonly string[] = [
  'src/app/features/admin/admin-screen.tsx',
  'src/app/features/admin/first-run-dialog.tsx',
  'src/app/features/auth/device-code-panel.tsx',
  'src/app/features/performance/performance-screen.tsx',
  'src/app/features/profile/plans-dialog.tsx',
  'src/app/features/profile/account-dialog.tsx',
  'src/app/features/upload/phone-panel.tsx',
  'src/app/features/upload/eula-dialog.tsx',
  'src/app/features/upload/history-section.tsx',
  'src/app/ui/markdown-text.tsx',
];

/**
 * Lists the files that only `onlineModules` need, which the worker does not keep.
 * @param folder the folder of the built app
 * @returns paths in that folder
 * @throws if a module is not loaded lazily
 */
export async function listOnlineFiles(folder: string): Promise<Set<string>> {
  const manifest: BuildManifest = JSON.parse(await readFile(join(folder, '.vite', 'manifest.json'), 'utf8'));
  const unknown = onlineModules.filter((module) => !manifest[module]?.isDynamicEntry);
  if (unknown.length > 0) throw new Error(`Not loaded later by the app: ${unknown.join(', ')}`);
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
  const neededOffline = filesFrom(manifest, entries, onlineModules);
  return new Set([...filesFrom(manifest, onlineModules)].filter((file) => !neededOffline.has(file)));
}

/** The files that `keys` load, at once or lazily. Chunks in `except` are not followed. */
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
  name?: string;
  imports?: string[];
  dynamicImports?: string[];
  css?: string[];
  isEntry?: boolean;
  isDynamicEntry?: boolean;
}

/** The bundler's manifest of the built files. */
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
 * Lists the files that the feed needs besides the page: the engine and the views that the page loads with it.
 * @returns paths in the folder of the built app
 */
export function feedFilesOf(manifest: BuildManifest): Set<string> {
  return filesOf(manifest, ['index', 'engine', 'draw-app']);
}

/** Lists the files that every visit of the feed loads, including those after the first frames. */
export function visitFilesOf(manifest: BuildManifest): Set<string> {
  return filesOf(manifest, ['index', 'watching']);
}

/** @param chunks by the names of `chunk-groups.ts` */
function filesOf(manifest: BuildManifest, chunks: readonly string[]): Set<string> {
  const keys = Object.keys(manifest).filter((key) => chunks.includes(manifest[key]?.name ?? ''));
  if (keys.length !== chunks.length) throw new Error(`The build does not name each of ${chunks.join(', ')}.`);
  return new Set(keys.flatMap((key) => [...collectFiles(manifest, key)]));
}
