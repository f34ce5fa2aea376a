import type { Clock } from '../../../clock.ts';
import { repeat } from '../../../repeat.ts';
import type { LibraryFiles } from '../library-files.ts';
import type { LibraryRoot } from '../paths/library-root.ts';
import { createFolderWatch } from './folder-watch.ts';
import { createPathDebouncer } from './path-debouncer.ts';

/** Sees what happens in the roots' folders, and says when to look where. */
export interface LibraryWatch {
  /** A folder is about to be read: from now on it is watched. */
  cover(root: LibraryRoot, folder: string): void;
  uncover(root: LibraryRoot, path: string): void;
  /** Something there is to be looked at once it rests. */
  note(rootNumber: number, path: string): void;
  /** All roots have been looked through. @param durationMs how long that took */
  noteScanned(roots: readonly LibraryRoot[], durationMs: number): void;
  close(): void;
}

export interface LibraryWatchDeps {
  files: LibraryFiles;
  clock: Clock;
  /** Paths by the number of their root. */
  onRest(places: Map<number, string[]>): void;
  /** Everything should be looked through. */
  onWanted(): void;
}

/** How often it is looked whether the roots' folders are the same ones. */
const pulseMs = 2_000;
/** How often everything is looked through all the same: watching can miss something. */
const netMs = 15 * 60_000;
/**
 * Where watching misses much: shares, and folders beyond the system's limit; but most of the time nothing is to be
 * done.
 */
const fineNetMs = 60_000;
const restShare = 20;

export function createLibraryWatch({ files, clock, onRest, onWanted }: LibraryWatchDeps): LibraryWatch {
  const places = createPathDebouncer({ elapsed: clock.elapsed, onRest, onFlood: onWanted });
  const folders = createFolderWatch({ files, onChange: (root, path) => places.note(root.number, path) });
  const identities = new Map<LibraryRoot, string>();
  const state = { scannedAt: clock.elapsed(), netMs };
  const pulse = repeat(look, pulseMs);

  /** A disk that was taken out or put in says nothing by itself. */
  function look(): void {
    const isOther = [...identities].some(([root, identity]) => identify(files, root) !== identity);
    if (!isOther && clock.elapsed() - state.scannedAt < state.netMs) return;
    for (const root of identities.keys()) identities.set(root, identify(files, root));
    state.scannedAt = clock.elapsed();
    onWanted();
  }

  return {
    cover: folders.cover,
    uncover: folders.uncover,
    note: places.note,
    noteScanned(roots, durationMs) {
      identities.clear();
      for (const root of roots) identities.set(root, identify(files, root));
      const isBlind = !folders.isComplete || roots.some((root) => isRemote(files, root));
      state.netMs = isBlind ? Math.max(fineNetMs, durationMs * restShare) : netMs;
      state.scannedAt = clock.elapsed();
    },
    close() {
      pulse.stop();
      places.close();
      folders.close();
    },
  };
}

function identify(files: LibraryFiles, root: LibraryRoot): string {
  try {
    const facts = files.follow(root.folder);
    return facts === null ? 'gone' : `${facts.device}:${facts.inode}`;
  } catch {
    return 'gone';
  }
}

function isRemote(files: LibraryFiles, root: LibraryRoot): boolean {
  try {
    return files.isRemote(root.folder);
  } catch {
    return false;
  }
}
