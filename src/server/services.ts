import { join } from 'node:path';
import type { AccountOverrides, AccountServices } from './account-services.ts';
import { createAccountServices } from './account-services.ts';
import { readBackupState } from './backup/nightly/backup-state-repository.ts';
import { NightlyBackup } from './backup/nightly/nightly-backup.ts';
import type { Env } from './env.ts';
import type { GiveVideo } from './features/feed/give-video.ts';
import { createGiveVideo } from './features/feed/give-video.ts';
import { FolderChannelSwitch } from './features/library/folder-channels/folder-channel-switch.ts';
import { createPathResolver } from './features/library/paths/library-path-resolver.ts';
import { readRoots } from './features/library/paths/root-repository.ts';
import type { LibraryRoots } from './features/library/paths/roots.ts';
import { createLibraryRoots } from './features/library/paths/roots.ts';
import { Scanner } from './features/library/scan/scanner.ts';
import { NameIndex } from './features/search/name-index.ts';
import type { AboutSources } from './features/site/about/about.ts';
import { RootCounts } from './features/site/library/root-counts.ts';
import { ByteSender } from './features/streaming/byte-sender.ts';
import { SharedFiles } from './features/streaming/shared-files.ts';
import { videosFolder } from './features/uploads/upload-file.ts';
import type { UploadOverrides, Uploads } from './features/uploads/uploads.ts';
import { createUploads } from './features/uploads/uploads.ts';
import type { PathResolver } from './features/videos/path-resolver.ts';
import type { Posters } from './features/videos/posters.ts';
import type { FoundationOverrides, Foundations } from './foundations.ts';
import { openFoundations } from './foundations.ts';
import { openSocketQueue } from './http/connections/socket-queue.ts';
import { UnreadBytes } from './http/connections/unread-bytes.ts';
import type { IdentifyCaller } from './http/pipeline/guards.ts';
import { WorkQueue } from './http/protection/work-queue.ts';
import type { Log } from './log.ts';
import type { Ffmpeg } from './media/ffmpeg/ffmpeg.ts';
import type { Confinement } from './media/sandbox/confinement.ts';
import { createMediaServices, logFfmpeg } from './media-services.ts';
import { repeat } from './repeat.ts';
import { DiskSpace } from './storage/disk-space.ts';
import { openSendFile } from './storage/send-file.ts';
import type { TagServices } from './tag-services.ts';
import { createTagServices } from './tag-services.ts';

/** Everything that routes and features are given. Nothing else is global. */
export interface Services extends Foundations, TagServices {
  identifyCaller: IdentifyCaller;
  accounts: AccountServices;
  files: SharedFiles;
  sender: ByteSender;
  unread: UnreadBytes;
  roots: LibraryRoots;
  places: PathResolver;
  giveVideo: GiveVideo;
  scanner: Scanner;
  folderChannels: FolderChannelSwitch;
  ffmpeg: Ffmpeg;
  posters: Posters;
  nameIndex: NameIndex;
  searches: WorkQueue;
  rootCounts: RootCounts;
  diskSpace: DiskSpace;
  uploads: Uploads;
  readBackup: AboutSources['readBackup'];
  nightlyBackup: NightlyBackup;
  /** Begins with the work in the background: jobs, and what is left over from last time. */
  startWork(): Promise<void>;
}

/** They go on one at a time, so these wait some tenths of a second. */
const maxWaitingSearches = 64;

/** What tests put in place of the real thing. */
export type ServiceOverrides = FoundationOverrides & {
  identifyCaller?: IdentifyCaller;
  accounts?: AccountOverrides;
  confinements?: readonly Confinement[];
  uploads?: UploadOverrides;
};

/** Another node may have changed them: its first upload sends the demo away. */
const rootsRefreshMs = 30_000;

/** The composition root: hands each part what it needs. The library is not scanned yet. */
export async function createServices(
  env: Env,
  log: Log,
  version: string,
  overrides: ServiceOverrides = {},
): Promise<Services> {
  const foundations = await openFoundations(env, log, version, overrides);
  const { address, clock, ids, database, idSets, folders, streams, jobs, runner, revisions } = foundations;
  const accounts = await createAccountServices(
    { env, database, clock, ids, log, secureOrigin: foundations.secureOrigin },
    overrides.accounts,
  );
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
  const files = new SharedFiles(clock);
  const places = createPathResolver(database, roots);
  const unread = new UnreadBytes(await openSocketQueue());
  const giveVideo = createGiveVideo(foundations, places, foundations.mediaUrls);
  const { workFolders, ffmpeg, posters } = createMediaServices(env, foundations, places, overrides.confinements);
  const tags = createTagServices(foundations, places);
  const nightlyBackup = new NightlyBackup({ env, address, database, clock, log, queue: jobs, version });
  const folderChannels = new FolderChannelSwitch({ database, idSets, queue: jobs, ids, clock, revisions });
  await folderChannels.decide();
  const diskSpace = new DiskSpace();
  const uploads = createUploads({ ...foundations, roots, places, posters, diskSpace, ...tags }, overrides.uploads);
  const nameIndex = new NameIndex({ database, clock, queue: jobs });
  const scanner = new Scanner({
    address,
    idSets,
    queue: jobs,
    ids,
    clock,
    roots,
    log,
    demoChannelsFile: folders.demoChannels,
    onScanned: () => posters.queueMissing(),
    wasInitialComplete: (await readRoots(database.reader)).every(
      (root) => !root.isActive || root.kind === 'uploads' || root.scannedAt !== null,
    ),
    knownFiles: idSets.count({ tags: [], mode: 'OR', blocked: [] }),
  });

  return {
    ...foundations,
    identifyCaller: overrides.identifyCaller ?? accounts.identifyCaller,
    accounts,
    files,
    sender: new ByteSender({ streams, sendFile: env.sendFile ? await openSendFile() : null, unread }),
    unread,
    roots,
    places,
    giveVideo,
    scanner,
    folderChannels,
    ffmpeg,
    posters,
    ...tags,
    nameIndex,
    searches: new WorkQueue({ atOnce: 1, maxWaiting: maxWaitingSearches }),
    rootCounts: new RootCounts(foundations),
    diskSpace,
    uploads,
    readBackup: () => readBackupState(database.reader, env, clock.now()),
    nightlyBackup,
    async startWork() {
      accounts.startSweeping();
      const start = async () => runner.start();
      const index = () => nameIndex.start();
      const sweep = () => tags.tagChangeSweep.start();
      const backUp = () => nightlyBackup.start();
      const locate = () => logFfmpeg(ffmpeg, log);
      await beginInTurn(
        [workFolders.sweep, uploads.start, start, index, sweep, posters.open, backUp, locate, posters.queueMissing],
        log,
      );
    },
    async close() {
      refreshing.stop();
      nameIndex.stop();
      tags.tagChangeSweep.stop();
      nightlyBackup.stop();
      await uploads.stop();
      await Promise.all([runner.stop(), accounts.stopSweeping()]);
      await scanner.stop();
      await files.closeIdle();
      await posters.stop();
      await foundations.close();
    },
  };
}

/** The server is up: nothing of this may end it. */
async function beginInTurn(works: readonly (() => Promise<unknown>)[], log: Log): Promise<void> {
  for (const begin of works) {
    await begin().catch((err: unknown) => log.warn({ err }, 'some of the work in the background could not begin'));
  }
}
