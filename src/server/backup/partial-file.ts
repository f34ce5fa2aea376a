import { dirname } from 'node:path';
import type { Disk } from './disk.ts';
import { hasCode } from './error-code.ts';

/** Ends the name of an archive that is not whole yet. */
export const partialEnd = '.partial';

/** Two processes that write one archive do not write one file. */
export function partialNameOf(file: string): string {
  return `${file}.${process.pid}${partialEnd}`;
}

/**
 * Gives a whole file its name, at once and for good.
 * @param mayReplace a file that has it
 * @throws EEXIST
 */
export async function publish(disk: Disk, partial: string, file: string, mayReplace: boolean): Promise<void> {
  if (mayReplace || !(await tryToLink(disk, partial, file))) await disk.rename(partial, file);
  else await disk.remove(partial);
  await disk.syncFolder(dirname(file));
}

/** A link never replaces a file; false where the file system has none. */
async function tryToLink(disk: Disk, partial: string, file: string): Promise<boolean> {
  try {
    await disk.link(partial, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) return false;
    throw error;
  }
}
