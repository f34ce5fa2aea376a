import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Entry {
  /** The path in the folder of the built app. */
  url: string;
}

/**
 * Adds the digest of each file to the worker's list of files, so that `fetch` verifies the bytes (Subresource
 * Integrity).
 */
export async function addIntegrity<Kept extends Entry>(
  folder: string,
  entries: readonly Kept[],
): Promise<(Kept & { integrity: string })[]> {
  return Promise.all(
    entries.map(async (entry) => ({ ...entry, integrity: integrityOf(await readFile(join(folder, entry.url))) })),
  );
}

function integrityOf(bytes: Buffer): string {
  return `sha256-${createHash('sha256').update(bytes).digest('base64')}`;
}
