import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Where a thing that has to go is said: `onTestFinished`, or `afterAll` for what a whole file shares. */
export type AtEnd = (remove: () => Promise<void> | void) => void;

/** A new, empty folder that goes at the end. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
