import { readBackupState } from '../backup/backup-repository.ts';
import { NightlyBackup } from '../backup/nightly-backup.ts';
import type { Env } from '../env.ts';
import type { GiveVideo } from '../features/feed/give-video.ts';
import { createGiveVideo, measurePicks } from '../features/feed/give-video.ts';
import type { Scanner } from '../features/library/scan/scanner.ts';
import { AlertWatch } from '../features/performance/alert-watch.ts';
import { PlaybackHealth } from '../features/performance/playback-health.ts';
import { BandwidthRecorder } from '../features/performance/stats-writer.ts';
import type { AboutSources } from '../features/site/about.ts';
import { Subtitles } from '../features/subtitles/subtitles.ts';
import type { UploadOverrides, Uploads } from '../features/uploads/uploads.ts';
import { createUploads } from '../features/uploads/uploads.ts';
import type { Posters } from '../features/videos/posters.ts';
import type { FoundationOverrides, Foundations } from '../foundations.ts';
import { openFoundations } from '../foundations.ts';
import { FreeMemory, openMallocTrim } from '../free-memory.ts';
import type { IdentifyCaller } from '../http/pipeline/guards.ts';
import { WorkQueue } from '../http/protection/work-queue.ts';
import type { Log } from '../log.ts';
import type { Ffmpeg } from '../media/ffmpeg/ffmpeg.ts';
import type { Confinement } from '../media/sandbox/confinement.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { DiskSpace } from '../storage/disk-space.ts';
import type { AccountOverrides, AccountServices } from './account-services.ts';
import { createAccountServices } from './account-services.ts';
import { startWork, stopWork } from './background-work.ts';
import type { LibraryServices, TagServices } from './library-services.ts';
import { createLibraryServices, createScanner, createTagServices } from './library-services.ts';
import type { EncodingOverrides, EncodingServices, StreamingServices } from './media-services.ts';
import { createEncodingServices, createMediaServices, createStreamingServices } from './media-services.ts';
import { openMetrics } from './metric-services.ts';

/** All services that routes and features receive; there is no other global state. */
export interface Services extends Foundations, LibraryServices, StreamingServices, EncodingServices, TagServices {
  identifyCaller: IdentifyCaller;
  accounts: AccountServices;
  giveVideo: GiveVideo;
  scanner: Scanner;
  ffmpeg: Ffmpeg;
  posters: Posters;
  subtitles: Subtitles;
  searches: WorkQueue;
  playbackHealth: PlaybackHealth;
  alertWatch: AlertWatch;
  diskSpace: DiskSpace;
  uploads: Uploads;
  readBackup: AboutSources['readBackup'];
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
export type ServiceOverrides = FoundationOverrides & {
  identifyCaller?: IdentifyCaller;
  accounts?: AccountOverrides;
  confinements?: readonly Confinement[];
  encodings?: EncodingOverrides;
  uploads?: UploadOverrides;
};

/** The composition root: creates every service with its dependencies. No library scan runs yet. */
export async function createServices(
  env: Env,
  log: Log,
  version: string,
  overrides: ServiceOverrides = {},
): Promise<Services> {
  const foundations = await openFoundations(env, log, version, overrides);
  const { address, clock, ids, database, sweepTime, jobs } = foundations;
  const accounts = await createAccountServices(
    { env, database, sweepTime, clock, ids, log, secureOrigin: foundations.secureOrigin },
    overrides.accounts,
  );
  const library = await createLibraryServices(env, foundations);
  const { roots, places } = library;
  const streaming = await createStreamingServices(foundations);
  const { workFolders, ffmpeg, encoder, converter, posters } = createMediaServices(
    env,
    foundations,
    places,
    overrides.confinements,
  );
  const diskSpace = new DiskSpace();
  const encoding = createEncodingServices(env, foundations, { places, diskSpace, encoder }, overrides.encodings);
  const { derivedFiles, encodings } = encoding;
  const giveVideo = createGiveVideo({ ...foundations, places, encodings });
  const tags = createTagServices(foundations, places);
  const subtitles = new Subtitles({
    ...foundations,
    ...library,
    ...tags,
    derivedFiles,
    converter,
    room: encodings,
    inspectVideo: (number) => encodings.inspect(number),
  });
  const nightlyBackup = new NightlyBackup({ env, address, database, clock, log, queue: jobs, version });
  const uploads = createUploads(
    { ...foundations, roots, places, posters, encodings, diskSpace, ...tags, accountChanges: accounts.changes },
    overrides.uploads,
  );
  const playbackHealth = new PlaybackHealth(
    {
      ...foundations,
      hasBytes: (viewer) => foundations.sentBytes.hasSent(viewer),
      onStalls: () => encodings.noteStalls(),
    },
    [new BandwidthRecorder(foundations.sentBytes, foundations.node)],
  );
  const scanner = await createScanner(foundations, roots, posters, encodings);
  const metrics = await openMetrics({ ...foundations, ...streaming, scanner, playbackHealth, uploads, encodings });
  const freeMemory = new FreeMemory(await openMallocTrim());

  const services = {
    ...foundations,
    identifyCaller: overrides.identifyCaller ?? accounts.identifyCaller,
    accounts,
    ...streaming,
    ...library,
    ...encoding,
    giveVideo: metrics === null ? giveVideo : measurePicks(giveVideo, clock, metrics.picks),
    scanner,
    ffmpeg,
    posters,
    subtitles,
    ...tags,
    searches: new WorkQueue({ atOnce: 1, maxWaiting: maxWaitingSearches }),
    playbackHealth,
    alertWatch: new AlertWatch({ ...foundations, playbackHealth }),
    diskSpace,
    uploads,
    readBackup: () => readBackupState(database.reader, env, clock.now()),
    nightlyBackup,
    metrics,
    freeMemory,
  };
  return {
    ...services,
    startWork: () => startWork({ ...services, workFolders }),
    async close() {
      library.stopRefreshing();
      metrics?.stop();
      await stopWork({ ...services, workFolders });
      await streaming.files.closeIdle();
      await foundations.close();
    },
  };
}
