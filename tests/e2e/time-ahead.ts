import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '#tests/support/product.ts';

const loaded = new URL('../support/processes/time-ahead.ts', import.meta.url);

/** The environment of a product whose time of day can be set ahead. */
export const settableTime = { NODE_OPTIONS: `--import=${loaded.href}` };

/** Sets the time of day ahead of the system's; the product knows it within some milliseconds. */
export async function setAhead({ dataDir }: Site, ms: number): Promise<void> {
  const file = join(dataDir, 'time-ahead');
  await writeFile(`${file}.new`, String(ms));
  await rename(`${file}.new`, file);
}
