import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import type { Clock } from '../../../clock.ts';
import { describedStem } from '../../../media/sidecar-file.ts';
import { repeat } from '../../../repeat.ts';
import type { LibraryFiles } from '../library-files.ts';
import { filePathOf, textFromName } from '../library-files.ts';
import type { ServedRoot } from '../root-repository.ts';
import { isVideoName } from './walk.ts';

/** Watches the folders of the roots, and tells which paths to scan and when. */
export interface LibraryWatch {
  /** Watches a folder that is about to be read. */
  cover(root: ServedRoot, folder: string): void;
  uncover(root: ServedRoot, path: string): void;
  /** Records a path to scan once it is quiet. */
  note(rootNumber: number, path: string): void;
  /** Called after a scan of all roots. @param durationMs how long the scan took */
  noteScanned(roots: readonly ServedRoot[], durationMs: number): void;
  close(): void;
}

interface LibraryWatchDeps {
  files: LibraryFiles;
  clock: Clock;
  /** Called with quiet paths by root number. */
  onRest(places: Map<number, string[]>): void;
  /** Called when the whole library should be scanned. */
  onWanted(): void;
}

/** How often the folders of the roots are checked for a replacement. */
const pulseMs = 2_000;
/** How often everything is scanned anyway, because watching can miss changes. */
const netMs = 15 * 60_000;
/**
 * The interval where watching misses much, as on network shares and beyond the watch limit of the
 * system. Scans still take only a small share of the time.
 */
const fineNetMs = 60_000;
const restShare = 20;

export function createLibraryWatch({ files, clock, onRest, onWanted }: LibraryWatchDeps): LibraryWatch {
  const places = createPathDebouncer({ elapsed: clock.elapsed, onRest, onFlood: onWanted });
  const folders = createFolderWatch({ files, onChange: (root, path) => places.note(root.number, path) });
  const identities = new Map<ServedRoot, string>();
  const state = { scannedAt: clock.elapsed(), netMs };
  const pulse = repeat(look, pulseMs);

  /** Checks the roots: a disk that was connected or removed causes no event. */
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

function identify(files: LibraryFiles, root: ServedRoot): string {
  try {
    const facts = files.follow(root.folder);
    return facts === null ? 'gone' : `${facts.device}:${facts.inode}`;
  } catch {
    return 'gone';
  }
}

function isRemote(files: LibraryFiles, root: ServedRoot): boolean {
  try {
    return files.isRemote(root.folder);
  } catch {
    return false;
  }
}

/** Watches single folders, which the walk names. */
interface FolderWatch {
  /**
   * Watches a folder, even when it has replaced another one.
   * @param folder '' or with a slash at its end
   */
  cover(root: ServedRoot, folder: string): void;
  /** Stops watching below a path whose folder may be gone or replaced. */
  uncover(root: ServedRoot, path: string): void;
  /** The number of watched folders. */
  readonly size: number;
  /** False once the system, or the limit of this class, has refused a watch. */
  readonly isComplete: boolean;
  close(): void;
}

interface FolderWatchDeps {
  files: Pick<LibraryFiles, 'follow'>;
  /** Called when a name has changed; its writer may not have finished. */
  onChange(root: ServedRoot, path: string): void;
  maxFolders?: number;
}

interface Watched {
  watcher: FSWatcher;
  /** Distinguishes the folder from another one at the same path. */
  identity: string;
}

/** A watch costs about one kilobyte in the kernel and one in this process. */
const maxFolders = 50_000;

export function createFolderWatch({ files, onChange, ...more }: FolderWatchDeps): FolderWatch {
  const watched = new Map<string, Watched>();
  const state = { isComplete: true };
  const keyOf = (root: ServedRoot, folder: string) => `${root.number}:${folder}`;

  function close(key: string): void {
    watched.get(key)?.watcher.close();
    watched.delete(key);
  }

  function open(root: ServedRoot, folder: string, identity: string): void {
    const key = keyOf(root, folder);
    try {
      const watcher = watch(filePathOf(root.folder, folder), { encoding: 'buffer' }, (event, name) =>
        note(root, folder, event, name),
      );
      watcher.on('error', () => close(key));
      watched.set(key, { watcher, identity });
    } catch {
      // The limit of the system is the most likely cause; regular scans find the missed changes.
      state.isComplete = false;
    }
  }

  function note(root: ServedRoot, folder: string, event: string, bytes: Buffer | null): void {
    const name = bytes === null ? '' : textFromName(bytes);
    if (name.startsWith('.')) return;
    // Every name that appears or disappears counts; of writes, only those to files with a video
    // extension, and to files that describe a video.
    const isRead = isVideoName(name) || describedStem(name) !== null;
    if (event === 'rename' || isRead) onChange(root, `${folder}${name}`);
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

/** Collects changed paths until each has been quiet for a moment. */
interface PathDebouncer {
  note(rootNumber: number, path: string): void;
  close(): void;
}

interface PathDebouncerDeps {
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
  /** Called with quiet paths by root number, in no order. */
  onRest(places: Map<number, string[]>): void;
  /** Called when too many paths change to scan them one by one. */
  onFlood(): void;
  quietMs?: number;
  maxPlaces?: number;
}

/** A program that copies a file writes to it at least this often. */
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
