import { readBackupState } from '../backup/backup-repository.ts';
import { NightlyBackup } from '../backup/nightly-backup.ts';
import type { Env } from '../env.ts';
import { Duplicates } from '../features/admin/duplicates.ts';
import type { GiveVideo } from '../features/feed/give-video.ts';
import { createGiveVideo, measurePicks } from '../features/feed/give-video.ts';
import type { Scanner } from '../features/library/scan/scanner.ts';
import { AlertWatch } from '../features/performance/alert-watch.ts';
import type { PlaybackHealth } from '../features/performance/playback-health.ts';
import { Venues } from '../features/performance/venues.ts';
import type { AboutSources } from '../features/site/about.ts';
import { MeasuredShare } from '../features/site/measured-share.ts';
import { NewestVersion } from '../features/site/newest-version.ts';
import { Subtitles } from '../features/subtitles/subtitles.ts';
import type { UploadOverrides, Uploads } from '../features/uploads/uploads.ts';
import { createUploads } from '../features/uploads/uploads.ts';
import { Favourites } from '../features/videos/favourites.ts';
import { VideoPlays } from '../features/videos/video-plays.ts';
import { Rounds } from '../features/watched/rounds.ts';
import type { FoundationOverrides, Foundations } from '../foundations.ts';
import { openFoundations } from '../foundations.ts';
import { FreeMemory, tuneMalloc } from '../free-memory.ts';
import type { IdentifyCaller } from '../http/pipeline/guards.ts';
import type { Strain } from '../limits/overload.ts';
import { createLook, Overload } from '../limits/overload.ts';
import { WorkQueue } from '../limits/work-queue.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { AccountOverrides, AccountServices } from './account-services.ts';
import { createAccountServices } from './account-services.ts';
import { startWork, stopWork } from './background-work.ts';
import type { LibraryServices, TagServices } from './library-services.ts';
import { createLibraryServices, createScanner, createTagServices } from './library-services.ts';
import type { MediaOverrides, MediaServices } from './media-services.ts';
import { createMediaServices } from './media-services.ts';
import { createPlaybackHealth, openMetrics } from './metric-services.ts';
import type { StorageServices } from './storage-services.ts';
import { createStorageServices } from './storage-services.ts';

/** All services that routes and features receive; there is no other global state. */
export interface Services extends Foundations, LibraryServices, StorageServices, MediaServices, TagServices {
  identifyCaller: IdentifyCaller;
  accounts: AccountServices;
  giveVideo: GiveVideo;
  favourites: Favourites;
  plays: VideoPlays;
  duplicates: Duplicates;
  rounds: Rounds;
  scanner: Scanner;
  subtitles: Subtitles;
  searches: WorkQueue;
  overload: Overload;
  playbackHealth: PlaybackHealth;
  alertWatch: AlertWatch;
  measuredShare: MeasuredShare;
  venues: Venues;
  uploads: Uploads;
  readBackup: AboutSources['readBackup'];
  newestVersion: NewestVersion;
  nightlyBackup: NightlyBackup;
  /** Null if no monitor may read metrics; then nothing is counted. */
  metrics: Metrics | null;
  freeMemory: FreeMemory;
  /** Starts the background work: jobs, and leftovers of the last run. */
  startWork(): Promise<void>;
}

/** Searches run one at a time, so this many wait some tenths of a second. */
const maxWaitingSearches = 64;

/** Replacements for the real services, in tests. */
export type ServiceOverrides = FoundationOverrides &
  MediaOverrides & {
    identifyCaller?: IdentifyCaller;
    accounts?: AccountOverrides;
    uploads?: UploadOverrides;
    look?: () => Strain;
  };

/** The composition root: creates every service with its dependencies. No library scan runs yet. */
export async function createServices(
  given: Env,
  log: Log,
  version: string,
  overrides: ServiceOverrides = {},
): Promise<Services> {
  const foundations = await openFoundations(given, log, version, overrides);
  const { env, address, clock, database, jobs } = foundations;
  const accounts = await createAccountServices(foundations, overrides.accounts);
  const storage = await createStorageServices(foundations, overrides.encodings?.files);
  const library = await createLibraryServices(foundations, storage);
  const media = await createMediaServices(foundations, { ...library, ...storage }, overrides);
  const tags = createTagServices(foundations, library.places);
  const favourites = new Favourites(foundations);
  const plays = new VideoPlays(foundations);
  const rounds = new Rounds({ ...foundations, rateLimits: accounts.rateLimits });
  const stored = { ...foundations, ...library, ...storage, ...media, ...tags, favourites, plays, rounds };
  const { posters, encodings } = media;
  const uploads = createUploads({ ...stored, accountChanges: accounts.changes }, overrides.uploads);
  const venues = new Venues(foundations);
  const playbackHealth = createPlaybackHealth(foundations, encodings, plays, venues);
  const duplicates = new Duplicates({ ...stored, queue: jobs });
  const scanner = await createScanner(foundations, library, posters, encodings);
  const strain = createLook(database);
  const overload = new Overload(overrides.look ?? strain.look, foundations.randomBelow);
  if (env.refusesOverload) overload.start();
  const measured = { ...media, ...storage, overload, scanner, playbackHealth, uploads, rounds };
  const metrics = await openMetrics(foundations, measured);
  const giveVideo = createGiveVideo(stored);

  const services = {
    ...stored,
    identifyCaller: overrides.identifyCaller ?? accounts.identifyCaller,
    accounts,
    giveVideo: metrics === null ? giveVideo : measurePicks(giveVideo, clock, metrics.picks),
    duplicates,
    scanner,
    subtitles: new Subtitles({
      ...stored,
      room: encodings,
      inspectVideo: (number) => encodings.inspect(number),
    }),
    overload,
    searches: new WorkQueue({ atOnce: 1, maxWaiting: maxWaitingSearches }),
    playbackHealth,
    alertWatch: new AlertWatch({ ...foundations, playbackHealth, venues }),
    measuredShare: new MeasuredShare({ ...foundations, playbackHealth }),
    venues,
    uploads,
    readBackup: () => readBackupState(database.reader, env, clock.now()),
    newestVersion: new NewestVersion({ version, url: env.updateCheckUrl, clock, database }),
    nightlyBackup: new NightlyBackup({ env, address, database, clock, log, queue: jobs, version }),
    metrics,
    freeMemory: new FreeMemory(await tuneMalloc()),
  };
  followSettings(services);
  foundations.nodes.onStall(() => encodings.noteStalls());
  await foundations.nodes.begin({
    listKinds: () => jobs.offered().map(({ kind }) => kind),
    findAway: () => library.roots.findAway(),
  });
  let isClosing = false;
  return {
    ...services,
    startWork: () => startWork(services, () => isClosing),
    async close() {
      isClosing = true;
      metrics?.stop();
      overload.stop();
      strain.end();
      await stopWork(services);
      await library.stop();
      await storage.files.closeIdle();
      await foundations.close();
    },
  };
}

/** Does at once what a changed setting asks for; everything else reads settings when it needs them. */
function followSettings({
  env,
  settings,
  log,
  roots,
  scanner,
  encodings,
  nightlyBackup,
  nodes,
}: Pick<Services, 'env' | 'settings' | 'log' | 'roots' | 'scanner' | 'encodings' | 'nightlyBackup' | 'nodes'>): void {
  let before = { ...env };
  const hasChanged = (name: 'libraryFolders' | 'derivedBytes' | 'backupFolder') =>
    String(before[name]) !== String(env[name]);
  settings.onChange(async () => {
    const changed = { folders: hasChanged('libraryFolders'), room: hasChanged('derivedBytes') };
    const isBackupNew = hasChanged('backupFolder');
    before = { ...env };
    if (changed.folders) {
      await roots.align();
      scanner.request().catch((err: unknown) => log.warn({ err }, 'the library could not be looked through'));
      await nodes.tellOfChange();
    }
    if (changed.room) await encodings.followBudget();
    if (isBackupNew) await nightlyBackup.queueWhenDue();
  });
}
