import { dirname } from 'node:path';
import { isDatabaseFull } from '../database/dialect.ts';
import { ArchiveRefused } from './archive/archive-format.ts';
import { hasCode } from './error-code.ts';

/** Why there is no backup, in a sentence. @param place the folder that it was to be written to */
export function describeBackupFailure(error: unknown, place: string): string {
  if (isNoRoom(error)) return `There is no room on the disk of ${place}.`;
  return describeFailure(error);
}

/** Why nothing was restored. */
export function describeRestoreFailure(
  error: unknown,
  { archive, dataFolder }: { archive: string; dataFolder: string },
): string {
  if (error instanceof ArchiveRefused) return `${archive} cannot be restored. ${error.message}`;
  if (isNoRoom(error)) return `There is no room on the disk of ${dataFolder}.`;
  return describeFailure(error);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError') return 'It was stopped.';
  const path = 'path' in error && typeof error.path === 'string' ? error.path : null;
  const at = 'dest' in error && typeof error.dest === 'string' ? error.dest : path;
  if (at === null) return error.message || String('code' in error ? error.code : error.name);
  if (hasCode(error, 'ENOENT')) return `${at} is not there.`;
  if (hasCode(error, 'EEXIST')) return `${at} is there already. Name another file, or add --force to replace it.`;
  if (hasCode(error, 'EACCES', 'EPERM'))
    return `This user may not use ${at}: give it to the user that Fourfold runs as.`;
  if (hasCode(error, 'EROFS')) return `${dirname(at)} can only be read.`;
  return error.message;
}

/** EFBIG: a limit on the length of files; quotas and limits are full disks to a program. */
function isNoRoom(error: unknown): boolean {
  return hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG') || isDatabaseFull(error);
}
