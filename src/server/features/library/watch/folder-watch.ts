import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import type { LibraryFiles } from '../library-files.ts';
import { filePathOf, textFromName } from '../paths/file-names.ts';
import type { LibraryRoot } from '../paths/library-root.ts';
import { isVideoName } from '../scan/walk.ts';

/** Watches folders one by one; whoever walks says which. */
export interface FolderWatch {
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

export interface FolderWatchDeps {
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
