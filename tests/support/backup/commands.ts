import { open } from 'node:fs/promises';
import type { CheckedArchive } from '#server/backup/archive-reader.ts';
import { checkArchive } from '#server/backup/archive-reader.ts';
import type { Disk } from '#server/backup/disk.ts';
import { localDisk } from '#server/backup/disk.ts';
import { restoreBackup } from '#server/backup/restore-backup.ts';
import type { BackupOutcome } from '#server/backup/write-backup.ts';
import { writeBackup } from '#server/backup/write-backup.ts';
import { systemClock } from '#server/clock.ts';
import type { Place } from './site.ts';

/** Both are aborted by `signal`, as by whoever stops a command. */
const tools = (disk: Disk, signal = new AbortController().signal) => ({
  disk,
  clock: systemClock,
  report: () => {},
  signal,
});

export function backUp(
  place: Place,
  file: string,
  disk: Disk = localDisk,
  signal?: AbortSignal,
): Promise<BackupOutcome> {
  return writeBackup({ ...place, file, version: '1.2.3', mayReplace: false }, tools(disk, signal));
}

export function restore(
  archive: string,
  place: Place,
  disk: Disk = localDisk,
  signal?: AbortSignal,
): Promise<CheckedArchive> {
  return restoreBackup({ ...place, archive }, tools(disk, signal));
}

export async function check(file: string): Promise<CheckedArchive> {
  await using handle = await open(file);
  return await checkArchive(handle);
}
