import { videosFolder } from '../features/uploads/upload-file.ts';
import type { Folders } from '../folders.ts';
import type { Foundations } from '../foundations.ts';
import { DerivedFiles } from '../storage/derived-files.ts';
import { DiskSpace } from '../storage/disk-space.ts';
import type { FileCalls } from '../storage/disk-storage.ts';
import { DiskStorage } from '../storage/disk-storage.ts';
import type { RemoteCopies } from '../storage/remote-copies.ts';
import { SharedFiles } from '../storage/shared-files.ts';
import type { PartedStorage } from '../storage/storage.ts';
import type { LibraryStore } from '../storage/stores/library-store.ts';
import { openLibraryStores } from '../storage/stores/library-store.ts';
import { openCopies, Store } from '../storage/stores/store.ts';
import type { StoreFacts } from '../storage/stores/store-calls.ts';

/** The places of the server's own files. */
export interface StorageServices {
  /** The open files of all disks. */
  files: SharedFiles;
  diskSpace: DiskSpace;
  /** Encodings, storyboards and subtitles. */
  derivedFiles: DerivedFiles;
  posterFiles: DerivedFiles;
  /** The store of uploads; null while they lie in the data folder. */
  uploadFiles: PartedStorage | null;
  /** The stores of libraries, by their places. */
  libraryStores: ReadonlyMap<string, LibraryStore>;
  /** Copies of remote files on this machine. */
  copies: RemoteCopies;
  /** The store that they lie in; null while they lie in the data folder. */
  store: Store | null;
}

/** The places of files that are made of videos: a folder of this machine, or a prefix in a store. */
export const derivedPlaces = {
  encodings: { prefix: 'derived/encodings/', folderOf: ({ derived }: Folders) => derived },
  posters: { prefix: 'derived/posters/', folderOf: ({ posters }: Folders) => posters },
};

const uploadsPrefix = 'uploads/';

/** The beginning of the names of uploaded videos in a store. */
export const uploadedPrefix = `${uploadsPrefix}${videosFolder}/`;

/**
 * @param calls the calls that change the folder of encodings, in tests
 * @throws EnvRefused for a store that cannot be used
 */
export async function createStorageServices(
  { env, clock, folders, log, site }: Foundations,
  calls?: FileCalls,
): Promise<StorageServices> {
  const files = new SharedFiles(clock);
  const diskSpace = new DiskSpace();
  const store = env.store === null ? null : new Store(env.store, { cacheFolder: folders.cache, env, diskSpace });
  const libraryStores = openLibraryStores(env.libraryStores, store?.place ?? null);
  await store?.claim({ site, clock, log });
  return {
    files,
    diskSpace,
    derivedFiles: new DerivedFiles(
      store?.storage(derivedPlaces.encodings.prefix) ?? new DiskStorage(folders.derived, { files, calls }),
    ),
    posterFiles: new DerivedFiles(
      store?.storage(derivedPlaces.posters.prefix) ?? new DiskStorage(folders.posters, { files }),
    ),
    uploadFiles: store?.storage(uploadsPrefix) ?? null,
    libraryStores,
    copies: store?.copies ?? openCopies({ cacheFolder: folders.cache, env, diskSpace }),
    store,
  };
}

/**
 * The calls to each store, by what lies there.
 * @param ofScans those of scans by the places of libraries, whose thread has connections of its own
 */
export function readStoreFacts(
  { store, libraryStores }: Pick<StorageServices, 'store' | 'libraryStores'>,
  ofScans: ReadonlyMap<string, StoreFacts>,
): Map<string, StoreFacts> {
  const found = new Map<string, StoreFacts>();
  if (store !== null) found.set('files', store.facts());
  for (const [at, [place, library]] of [...libraryStores].entries()) {
    found.set(`library ${at + 1}`, library.facts());
    const scans = ofScans.get(place);
    if (scans !== undefined) found.set(`library ${at + 1}, scans`, scans);
  }
  return found;
}
