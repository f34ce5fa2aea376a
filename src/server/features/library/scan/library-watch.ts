import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import type { Clock } from '../../../clock.ts';
import { repeat } from '../../../repeat.ts';
import type { LibraryFiles } from '../library-files.ts';
import { filePathOf, textFromName } from '../library-files.ts';
import type { LibraryRoot } from '../root-repository.ts';
import { isVideoName } from './walk.ts';

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

interface LibraryWatchDeps {
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

/** Watches folders one by one; whoever walks says which. */
interface FolderWatch {
  /** Makes sure that a folder is watched: the one that is there now. @param folder '' or with a slash at its end */
  cover(root: LibraryRoot, folder: string): void;
  /** What was at this path is not there any more, or may be another folder by now. */
  uncover(root: LibraryRoot, path: string): void;
  /** Folders that are watched. */
  readonly size: number;
  /** False once the system, or our own limit, has refused to watch a folder. */
  readonly isComplete: boolean;
  close(): void;
}

interface FolderWatchDeps {
  files: Pick<LibraryFiles, 'follow'>;
  /** Something happened to a name; whoever wrote may not have finished. */
  onChange(root: LibraryRoot, path: string): void;
  maxFolders?: number;
}

interface Watched {
  watcher: FSWatcher;
  /** Tells the folder from another one of the same path. */
  identity: string;
}

/** Each costs about a kilobyte in the kernel and one here. */
const maxFolders = 50_000;

export function createFolderWatch({ files, onChange, ...more }: FolderWatchDeps): FolderWatch {
  const watched = new Map<string, Watched>();
  const state = { isComplete: true };
  const keyOf = (root: LibraryRoot, folder: string) => `${root.number}:${folder}`;

  function close(key: string): void {
    watched.get(key)?.watcher.close();
    watched.delete(key);
  }

  function open(root: LibraryRoot, folder: string, identity: string): void {
    const key = keyOf(root, folder);
    try {
      const watcher = watch(filePathOf(root.folder, folder), { encoding: 'buffer' }, (event, name) =>
        note(root, folder, event, name),
      );
      watcher.on('error', () => close(key));
      watched.set(key, { watcher, identity });
    } catch {
      // Most likely the system's own limit on watches; the regular scans find what is missed.
      state.isComplete = false;
    }
  }

  function note(root: LibraryRoot, folder: string, event: string, bytes: Buffer | null): void {
    const name = bytes === null ? '' : textFromName(bytes);
    if (name.startsWith('.')) return;
    // Folders and names that come or go; of what is written to, only what may be a video.
    if (event === 'rename' || isVideoName(name)) onChange(root, `${folder}${name}`);
  }

  return {
    cover(root, folder) {
      const key = keyOf(root, folder);
      const facts = files.follow(filePathOf(root.folder, folder));
      const identity = `${facts?.device}:${facts?.inode}`;
      if (watched.get(key)?.identity === identity) return;
      close(key);
      if (watched.size < (more.maxFolders ?? maxFolders)) open(root, folder, identity);
      else state.isComplete = false;
    },
    uncover(root, path) {
      const start = keyOf(root, `${path}/`);
      if (!watched.has(start)) return;
      for (const key of watched.keys()) if (key.startsWith(start)) close(key);
    },
    get size() {
      return watched.size;
    },
    get isComplete() {
      return state.isComplete;
    },
    close() {
      for (const key of watched.keys()) close(key);
    },
  };
}

/** Collects the paths where something happened, until nothing has happened there for a moment. */
interface PathDebouncer {
  note(rootNumber: number, path: string): void;
  close(): void;
}

interface PathDebouncerDeps {
  /** Milliseconds, by a clock that never jumps. */
  elapsed(): number;
  /** Paths by the number of their root, in no order. */
  onRest(places: Map<number, string[]>): void;
  /** More happens than is worth scanning path by path. */
  onFlood(): void;
  quietMs?: number;
  maxPlaces?: number;
}

/** Whoever copies a file writes to it at least so often. */
const quietMs = 300;
const checkEveryMs = 50;
const maxPendingPlaces = 5_000;

export function createPathDebouncer({ elapsed, onRest, onFlood, ...more }: PathDebouncerDeps): PathDebouncer {
  const pending = new Map<string, { rootNumber: number; path: string; since: number }>();
  const maxAtOnce = more.maxPlaces ?? maxPendingPlaces;
  let timer: NodeJS.Timeout | undefined;
  let isFlooded = false;

  function check(): void {
    timer = undefined;
    const before = elapsed() - (more.quietMs ?? quietMs);
    const atRest = [...pending].filter(([, place]) => place.since <= before);
    for (const [key] of atRest) pending.delete(key);
    if (pending.size > 0) timer = setTimeout(check, checkEveryMs);
    if (!isFlooded && atRest.length > 0) onRest(groupByRoot(atRest.map(([, place]) => place)));
    if (!isFlooded || pending.size > maxAtOnce / 2) return;
    isFlooded = false;
    onFlood();
  }

  return {
    note(rootNumber, path) {
      pending.set(`${rootNumber}:${path}`, { rootNumber, path, since: elapsed() });
      if (pending.size > maxAtOnce) isFlooded = true;
      timer ??= setTimeout(check, checkEveryMs);
    },
    close() {
      clearTimeout(timer);
      pending.clear();
    },
  };
}

function groupByRoot(places: readonly { rootNumber: number; path: string }[]): Map<number, string[]> {
  const groups = Map.groupBy(places, (place) => place.rootNumber);
  return new Map([...groups].map(([rootNumber, group]) => [rootNumber, group.map(({ path }) => path)]));
}
