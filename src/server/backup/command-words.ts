import type { Env } from '../env.ts';
import type { CheckedArchive } from './archive/check-archive.ts';
import { formatCount } from './count-words.ts';
import type { BackupOutcome } from './write-backup.ts';

/** What the commands say at their end. */

export function formatBackup(
  file: string,
  { bytes, rows, files }: BackupOutcome,
  { libraryFolders }: Pick<Env, 'libraryFolders'>,
): string {
  return [
    `\n  The backup is ${file}: ${formatBytes(bytes)}, ${formatCount(rows, 'row')}, ${formatCount(files, 'file')} of DATA_DIR. It was read again, and is whole.`,
    "  Whoever holds it holds the site's keys: only its owner can read it; keep it that way, on another disk.",
    `  Not in it: .env, posters (they are made again), and the videos themselves${libraryFolders.length === 0 ? '.' : `, in ${libraryFolders.join(', ')}.`}`,
  ].join('\n');
}

export function formatRestore({ head, manifest }: CheckedArchive, { dataFolder, databaseUrl }: Env): string {
  const rows = Object.values(manifest.rows).reduce((sum, each) => sum + each, 0);
  const sessions = manifest.rows.sessions ?? 0;
  return [
    `\n  The site of ${head.created_at} is restored into ${databaseUrl === undefined ? dataFolder : `the database of DATABASE_URL and ${dataFolder}`}: ${formatCount(rows, 'row')}.`,
    `  Its keys came along: ${formatCount(sessions, 'session')} of that time ${sessions === 1 ? 'lives' : 'live'} on; whoever signed in or changed a password after it does so again.`,
    '  Devices load profile, channels and settings again with their next answer; saved links to videos go on to work.',
    "  The sets of videos are built at the first start, and posters are made again. Settings come from this machine's own .env.",
  ].join('\n');
}

function formatBytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
