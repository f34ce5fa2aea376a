import { open } from 'node:fs/promises';
import type { CheckedArchive } from '#server/backup/archive/check-archive.ts';
import { checkArchive } from '#server/backup/archive/check-archive.ts';
import type { Disk } from '#server/backup/disk.ts';
import { localDisk } from '#server/backup/disk.ts';
import { restoreBackup } from '#server/backup/restore/restore-backup.ts';
import type { BackupOutcome } from '#server/backup/write-backup.ts';
import { writeBackup } from '#server/backup/write-backup.ts';
import { systemClock } from '#server/clock.ts';
import type { Place } from './site.ts';

const tools = (disk: Disk) => ({ disk, clock: systemClock, report: () => {}, signal: new AbortController().signal });

export function backUp(place: Place, file: string, disk: Disk = localDisk): Promise<BackupOutcome> {
  return writeBackup({ ...place, file, version: '1.2.3', mayReplace: false }, tools(disk));
}

export function restore(archive: string, place: Place, disk: Disk = localDisk): Promise<CheckedArchive> {
  return restoreBackup({ ...place, archive }, tools(disk));
}

export async function check(file: string): Promise<CheckedArchive> {
  await using handle = await open(file);
  return await checkArchive(handle);
}
