import { join } from 'node:path';
import type { Executor } from '../database/tables.ts';
import type { Encodings } from '../features/encodings/encodings.ts';
import { FolderChannelSwitch } from '../features/library/folder-channels/folder-channel-switch.ts';
import { createPathResolver } from '../features/library/library-paths.ts';
import type { LibraryRoots } from '../features/library/library-roots.ts';
import { createLibraryRoots } from '../features/library/library-roots.ts';
import { rootRepository } from '../features/library/root-repository.ts';
import { Scanner, scanKind } from '../features/library/scan/scanner.ts';
import { FreshNames } from '../features/search/fresh-names.ts';
import { NameIndex } from '../features/search/name-index.ts';
import type { VideoOrders } from '../features/search/video-order.ts';
import { createVideoOrders } from '../features/search/video-order.ts';
import { RootCounts } from '../features/site/library-report.ts';
import { sidecarsKind } from '../features/tag-transfer/sidecars.ts';
import { changeLinksKind } from '../features/tag-transfer/transfer-plan.ts';
import { TagChangeSweep } from '../features/tags/changes/change-sweep.ts';
import { mergeKind } from '../features/tags/changes/merge-tags.ts';
import { undoKind } from '../features/tags/changes/undo-change.ts';
import { personUndoKind } from '../features/tags/changes/undo-person.ts';
import { TagCatalogue } from '../features/tags/tag-catalogue.ts';
import type { TagRemoval } from '../features/tags/tag-removal.ts';
import { alignmentKind, createTagRemoval } from '../features/tags/tag-removal.ts';
import type { WriteTags } from '../features/tags/write-tags.ts';
import { createWriteTags } from '../features/tags/write-tags.ts';
import { videosFolder } from '../features/uploads/upload-file.ts';
import type { Posters } from '../features/videos/posters.ts';
import type { PathResolver } from '../features/videos/video.ts';
import type { Foundations } from '../foundations.ts';
import { jobRepository } from '../jobs/job-repository.ts';
import type { Lease } from '../nodes/lease.ts';
import { repeat } from '../repeat.ts';
import type { StorageServices } from './storage-services.ts';

/** The services for the library's folders and the files in them. */
export interface LibraryServices {
  roots: LibraryRoots;
  /** The node that has it scans the library, watches it, and says what is missing there. */
  scanLease: Lease;
  places: PathResolver;
  folderChannels: FolderChannelSwitch;
  nameIndex: NameIndex;
  orders: VideoOrders;
  freshNames: FreshNames;
  rootCounts: RootCounts;
  stop(): Promise<void>;
}

/** Another node may have aligned the roots: its first upload removes the demo. */
const rootsRefreshMs = 30_000;

export async function createLibraryServices(
  foundations: Foundations,
  { libraryStores }: Pick<StorageServices, 'libraryStores'>,
): Promise<LibraryServices> {
  const { env, database, idSets, clock, ids, folders, jobs, log, revisions } = foundations;
  const scanLease = foundations.lease('library');
  const roots = createLibraryRoots(foundations, foundations.lease('library-roots'), {
    get folders() {
      return env.libraryFolders;
    },
    servesFolders: env.servesFolders,
    decides: () => scanLease.isHeld || foundations.nodes.live().length === 0,
    stores: [...libraryStores.keys()],
    demoFolder: folders.demoClips,
    uploadsFolder: join(folders.uploads, videosFolder),
  });
  await roots.align();
  const refreshing = repeat(
    // The demo comes back when the last upload is gone.
    () => (scanLease.isHeld ? roots.align() : roots.refresh()),
    rootsRefreshMs,
    (err) => log.warn({ err }, 'the folders of the library could not be read again'),
  );
  const folderChannels = new FolderChannelSwitch({ database, idSets, queue: jobs, ids, clock, revisions });
  await folderChannels.decide();
  const { reader } = database;
  const freshNames = new FreshNames(reader, idSets);
  return {
    roots,
    scanLease,
    places: createPathResolver(database, roots),
    folderChannels,
    nameIndex: new NameIndex({ database, freshNames, clock, queue: jobs }),
    orders: createVideoOrders(reader, idSets),
    freshNames,
    rootCounts: new RootCounts(database, idSets, clock),
    async stop() {
      refreshing.stop();
      await scanLease.stop();
    },
  };
}

/** Creates the scanner; it scans nothing yet. */
export async function createScanner(
  { env, address, database, idSets, jobs, ids, clock, log, folders, nodes }: Foundations,
  { roots, scanLease }: Pick<LibraryServices, 'roots' | 'scanLease'>,
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
    lease: scanLease,
    nodes,
    findElsewhere: () => findScan(database.reader),
    canScan: env.role !== 'web' && env.servesFolders,
    log,
    demoChannelsFile: folders.demoChannels,
    ownFolders: [folders.uploads, folders.derived, folders.cache, folders.work],
    stores: { libraries: env.libraryStores, everyMs: env.libraryScanMinutes * 60_000 },
    async onScanned() {
      await posters.queueMissing();
      await encodings.queueUnplayable();
    },
    wasInitialComplete: (await findScan(database.reader)).isInitialComplete,
    knownFiles: idSets.count({ tags: [], mode: 'OR', blocked: [] }),
  });
}

/** Reads from the rows whether any node scans, and whether all folders were scanned once. */
async function findScan(reader: Executor) {
  const running = { kind: scanKind, state: 'running' } as const;
  const [job] = await jobRepository.list(reader, running, { limit: 1, offset: 0 });
  const roots = await rootRepository.list(reader);
  return {
    isRunning: job !== undefined,
    progress: job?.progress ?? null,
    isInitialComplete: roots.every((root) => !root.isActive || root.kind === 'uploads' || root.scannedAt !== null),
  };
}

/** The services that read, change and remove tags. */
export interface TagServices {
  tagCatalogue: TagCatalogue;
  tagRemoval: TagRemoval;
  writeTags: WriteTags;
  tagChangeSweep: TagChangeSweep;
}

/** Creates the services, and registers the handlers of tag jobs with the queue. */
export function createTagServices(foundations: Foundations, places: PathResolver): TagServices {
  const { database, idSets, jobs, clock } = foundations;
  const tagRemoval = createTagRemoval({ idSets, queue: jobs, clock });
  tagRemoval.open();
  const writeTags = createWriteTags(foundations);
  const tagCatalogue = new TagCatalogue(database);
  const deps = { ...foundations, tagRemoval, writeTags };
  const tagChangeSweep = new TagChangeSweep(deps);
  jobs.register(alignmentKind(idSets));
  for (const changeKind of [mergeKind, changeLinksKind, undoKind, personUndoKind]) jobs.register(changeKind(deps));
  jobs.register(sidecarsKind({ ...deps, tagCatalogue, places }));
  jobs.register(tagChangeSweep.kind());
  return { tagCatalogue, tagRemoval, writeTags, tagChangeSweep };
}
