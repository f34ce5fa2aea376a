import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Entry {
  /** Path in the built folder. */
  url: string;
}

/**
 * Adds to each file that the worker keeps the digest that the browser's own `fetch` compares its bytes with
 * (Subresource Integrity).
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
