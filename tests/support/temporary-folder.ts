import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Where a thing that has to go is said: `onTestFinished`, or `afterFile` for what a whole file shares. */
export type AtEnd = (remove: () => Promise<void> | void) => void;

const endings: Parameters<AtEnd>[0][] = [];

/** Like `afterAll` of Vitest, which hears nothing that is said in a `beforeAll` or in a test. */
export const afterFile: AtEnd = (remove) => void endings.push(remove);

/** Each file of tests calls it at its end, through a setup file: the newest goes first. */
export async function endFile(): Promise<void> {
  const failures: unknown[] = [];
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'What the file shared did not all go');
}

/** A new, empty folder that goes at the end. */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
