import type { LibraryRoot } from './features/library/library-root.ts';
import type { ScanOutcome } from './features/library/scan-library.ts';

/** The sentences on the terminal, for whoever started the server. */

export function sayLibrary(roots: readonly LibraryRoot[], startMs: number): string {
  const started = `  Started in ${formatSeconds(startMs)}.`;
  if (roots.length === 0) return `\n  The library is empty.\n${started}`;
  const isDemo = roots.every((root) => root.kind === 'demo');
  const served = isDemo ? 'the demo clips. Set LIBRARY_DIRS to a folder of your own videos.' : roots.map((root) => root.folder).join(', ');
  return `\n  Library: ${served}\n${started}`;
}

/** @param code for somebody who is not at this machine */
export function sayFirstAccount(code: string): string {
  return `  Nobody has an account yet. The first one is the administrator's: make it on this machine, or elsewhere with the set-up code ${code}.`;
}

export function sayScan({ found, playable, missingFolders, durationMs }: Omit<ScanOutcome, 'unread' | 'moved'>): string {
  const looked = `  Looked through the library in ${formatSeconds(durationMs)}: ${countVideos(found)}, ${playable} of them playable.`;
  return [looked, ...missingFolders.map((folder) => `  The folder ${folder} is not there; it is looked for again every half minute.`)].join('\n');
}

export function sayStartFailure(error: unknown): string {
  if (!(error instanceof Error)) return '  Fourfold could not start.';
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') return '  Fourfold could not start: the port is already in use. Stop the other program, or choose another port with PORT.';
  if (code.startsWith('SQLITE_'))
    return `  Fourfold could not start: its database cannot be used (${error.message}). Restore a backup, or move the file away to begin anew.`;
  return `  Fourfold could not start: ${error.message || code}`;
}

function countVideos(count: number): string {
  return count === 1 ? '1 video' : `${count} videos`;
}

function formatSeconds(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
