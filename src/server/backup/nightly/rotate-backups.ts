import { join } from 'node:path';
import { openForReading } from '../../storage/open-for-reading.ts';
import { ArchiveRefused } from '../archive/archive-format.ts';
import { checkArchive } from '../archive/check-archive.ts';
import type { Disk } from '../disk.ts';
import { isNightlyName } from './nightly-name.ts';

/** How many nightly backups stay. */
const keptBackups = 7;

/**
 * Removes all nightly backups but the newest seven that are whole; what is not whole, or was not made here, is nobody's
 * to count and stays. Comes after a new one only, which never goes: names of a later time are of a clock that ran ahead,
 * and count as the oldest.
 * @param made the name of the new one
 * @returns the names of those that were removed
 */
export async function rotateBackups(disk: Disk, folder: string, made: string): Promise<string[]> {
  const newestFirst = (await disk.list(folder)).filter(isNightlyName).sort().reverse();
  const names = [...newestFirst.filter((name) => name <= made), ...newestFirst.filter((name) => name > made)];
  const removed: string[] = [];
  let whole = 0;
  for (const name of names) {
    if (!(await isWhole(join(folder, name)))) continue;
    whole += 1;
    if (whole <= keptBackups) continue;
    await disk.remove(join(folder, name));
    removed.push(name);
  }
  if (removed.length > 0) await disk.syncFolder(folder);
  return removed;
}

async function isWhole(file: string): Promise<boolean> {
  await using handle = await openForReading(Buffer.from(file));
  if (!(await handle.stat()).isFile()) return false;
  try {
    await checkArchive(handle);
    return true;
  } catch (error) {
    if (error instanceof ArchiveRefused) return false;
    throw error;
  }
}
