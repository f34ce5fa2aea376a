import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildManifest } from './feed-files.ts';

const adminScreen = 'src/app/features/admin/admin-screen.tsx';

/**
 * Files that the administration alone needs. The worker of a viewer does not keep them: an administrator has the
 * network, as the server itself is what is administrated.
 * @param folder of the built app
 * @returns paths in it
 */
export async function listAdminFiles(folder: string): Promise<Set<string>> {
  const manifest: BuildManifest = JSON.parse(await readFile(join(folder, '.vite', 'manifest.json'), 'utf8'));
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry);
  const forEverybody = filesFrom(manifest, entries, adminScreen);
  return new Set([...filesFrom(manifest, [adminScreen])].filter((file) => !forEverybody.has(file)));
}

/** Of the chunks that are loaded from `keys` on, at once or later; `except` is not looked into. */
function filesFrom(manifest: BuildManifest, keys: readonly string[], except?: string): Set<string> {
  const files = new Set<string>();
  const seen = new Set([except]);
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
