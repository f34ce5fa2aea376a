import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildManifest } from './feed-files.ts';

/**
 * Modules that are of no use without the server: it is what is administrated, and the Markdown of the password page
 * comes from it (plain text stands in where the renderer's file cannot be had).
 */
const onlineModules: readonly string[] = [
  'src/app/features/admin/admin-screen.tsx',
  'src/app/features/gate/news-text.tsx',
];

/**
 * Files that these modules alone need. The worker does not keep them.
 * @param folder of the built app
 * @returns paths in it
 */
export async function listOnlineFiles(folder: string): Promise<Set<string>> {
  const manifest: BuildManifest = JSON.parse(await readFile(join(folder, '.vite', 'manifest.json'), 'utf8'));
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
