import { dirname } from 'node:path';
import { isDatabaseFull, isRightMissing, postgresDialect } from '../database/dialect.ts';
import { ArchiveRefused } from './archive-format.ts';
import { hasCode } from './disk.ts';
import { RestoreFolder, RestoreRefused } from './restore-folder.ts';

/** A sentence on why nothing was restored, and what to do. */
export function describeRestoreFailure(
  error: unknown,
  { archive, dataFolder }: { archive: string; dataFolder: string },
): string {
  if (error instanceof ArchiveRefused) return `${archive} cannot be restored. ${error.message}`;
  const sentence = describeFailure(error, dataFolder);
  if (RestoreFolder.isLeftIn(dataFolder) && !(error instanceof RestoreRefused))
    return `${sentence} Run npm run restore again: it removes what this one has left.`;
  return isNoRoom(error) ? `${sentence} What was made there is removed again.` : sentence;
}

/** Describes a failure in a sentence. @param place the folder that was being written to */
export function describeFailure(error: unknown, place: string): string {
  if (isNoRoom(error)) return `There is no room on the disk of ${place}.`;
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError') return 'It was stopped.';
  const code = 'code' in error ? String(error.code) : error.name;
  if (code.startsWith('SQLITE_IOERR')) return `The disk of ${place} could not be used (${error.message}).`;
  if (postgresDialect.isUnreachable(error))
    return `The database of DATABASE_URL does not answer (${error.message || code}).`;
  if (isRightMissing(error)) return describeRight(error);
  return describeAtPath(error) ?? (error.message || code);
}

/** @param error of PostgreSQL, which names the right */
export function describeRight({ message }: Error): string {
  return `The user of DATABASE_URL lacks a right (${message}): make it the owner of the database, and of what is in it.`;
}

/** Null if the failure is not about a file. */
function describeAtPath(error: Error): string | null {
  const path = 'path' in error && typeof error.path === 'string' ? error.path : null;
  const at = 'dest' in error && typeof error.dest === 'string' ? error.dest : path;
  if (at === null) return null;
  if (hasCode(error, 'ENOENT')) return `${at} is not there.`;
  if (hasCode(error, 'EEXIST'))
    return `${at} is there already. Name another file, or replace it: npm run backup -- --force ${at}`;
  if (hasCode(error, 'EACCES', 'EPERM'))
    return `This user may not use ${at}: give it to the user that Fourfold runs as.`;
  return hasCode(error, 'EROFS') ? `${dirname(at)} can only be read.` : null;
}

/** True for a full disk, a quota (EDQUOT) and a limit on the size of files (EFBIG). */
function isNoRoom(error: unknown): boolean {
  return hasCode(error, 'ENOSPC', 'EDQUOT', 'EFBIG') || isDatabaseFull(error);
}
