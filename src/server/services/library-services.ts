import { join } from 'node:path';
import type { Env } from '../env.ts';
import type { Encodings } from '../features/encodings/encodings.ts';
import { FolderChannelSwitch } from '../features/library/folder-channels/folder-channel-switch.ts';
import { createPathResolver } from '../features/library/library-paths.ts';
import type { LibraryRoots } from '../features/library/library-roots.ts';
import { createLibraryRoots } from '../features/library/library-roots.ts';
import { readRoots } from '../features/library/root-repository.ts';
import { Scanner } from '../features/library/scan/scanner.ts';
import { FreshNames } from '../features/search/fresh-names.ts';
import { NameIndex } from '../features/search/name-index.ts';
import { NameOrder } from '../features/search/name-order.ts';
import { RootCounts } from '../features/site/library-report.ts';
import { videosFolder } from '../features/uploads/upload-file.ts';
import type { Posters } from '../features/videos/posters.ts';
import type { PathResolver } from '../features/videos/video.ts';
import type { Foundations } from '../foundations.ts';
import { repeat } from '../repeat.ts';

/** What knows the folders of the library, and what is found in them. */
export interface LibraryServices {
  roots: LibraryRoots;
  places: PathResolver;
  folderChannels: FolderChannelSwitch;
  nameIndex: NameIndex;
  nameOrder: NameOrder;
  freshNames: FreshNames;
  rootCounts: RootCounts;
  stopRefreshing(): void;
}

/** Another node may have changed them: its first upload sends the demo away. */
const rootsRefreshMs = 30_000;

export async function createLibraryServices(env: Env, foundations: Foundations): Promise<LibraryServices> {
  const { database, idSets, clock, ids, folders, jobs, log, revisions } = foundations;
  const roots = createLibraryRoots(database, idSets, clock, {
    folders: env.libraryFolders,
    demoFolder: folders.demoClips,
    uploadsFolder: join(folders.uploads, videosFolder),
  });
  await roots.refresh();
  const refreshing = repeat(
    () => roots.refresh(),
    rootsRefreshMs,
    (err) => log.warn({ err }, 'the folders of the library could not be read again'),
  );
  const folderChannels = new FolderChannelSwitch({ database, idSets, queue: jobs, ids, clock, revisions });
  await folderChannels.decide();
  const { reader } = database;
  const freshNames = new FreshNames({ reader, idSets });
  return {
    roots,
    places: createPathResolver(database, roots),
    folderChannels,
    nameIndex: new NameIndex({ database, freshNames, clock, queue: jobs }),
    nameOrder: new NameOrder({ reader, idSets }),
    freshNames,
    rootCounts: new RootCounts(foundations),
    stopRefreshing: () => refreshing.stop(),
  };
}

/** It scans nothing yet. */
export async function createScanner(
  { address, database, idSets, jobs, ids, clock, log, folders }: Foundations,
  roots: LibraryRoots,
  posters: Pick<Posters, 'queueMissing'>,
  encodings: Pick<Encodings, 'queueUnplayable'>,
): Promise<Scanner> {
  return new Scanner({
    address,
    idSets,
    queue: jobs,
    ids,
    clock,
    roots,
    log,
    demoChannelsFile: folders.demoChannels,
    async onScanned() {
      await posters.queueMissing();
      await encodings.queueUnplayable();
    },
    wasInitialComplete: (await readRoots(database.reader)).every(
      (root) => !root.isActive || root.kind === 'uploads' || root.scannedAt !== null,
    ),
    knownFiles: idSets.count({ tags: [], mode: 'OR', blocked: [] }),
  });
}
