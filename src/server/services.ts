import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';
import type { Database, DatabaseAddress } from './database/connection.ts';
import { openDatabase } from './database/connection.ts';
import { migrate } from './database/migrate.ts';
import type { Env } from './env.ts';
import { createVideoPlaces } from './features/library/places.ts';
import { readRoots } from './features/library/root-repository.ts';
import type { LibraryRoots } from './features/library/roots.ts';
import { createLibraryRoots } from './features/library/roots.ts';
import type { Scanner } from './features/library/scanner.ts';
import { createScanner } from './features/library/scanner.ts';
import type { ByteSender } from './features/streaming/byte-sender.ts';
import { createByteSender } from './features/streaming/byte-sender.ts';
import type { SharedFiles } from './features/streaming/shared-files.ts';
import { createSharedFiles } from './features/streaming/shared-files.ts';
import type { Posters } from './features/videos/posters.ts';
import { createPosters } from './features/videos/posters.ts';
import type { VideoPlaces } from './features/videos/video-places.ts';
import type { IdentifyCaller } from './http/guards.ts';
import { identifyNobody } from './http/guards.ts';
import type { OpenStreams } from './http/open-streams.ts';
import { createOpenStreams } from './http/open-streams.ts';
import type { Revisions } from './http/revision.ts';
import { createRevisions } from './http/revision.ts';
import type { SecureOrigin, SecureOriginParts } from './http/secure-origin.ts';
import { openSecureOrigin } from './http/secure-origin.ts';
import type { MediaUrlSigner } from './http/signed-urls.ts';
import { createMediaUrlSigner } from './http/signed-urls.ts';
import type { IdSets } from './id-sets/id-sets.ts';
import { createIdSets } from './id-sets/id-sets.ts';
import type { Ids, RandomBelow } from './ids.ts';
import { createIds, secureRandomBelow } from './ids.ts';
import type { JobLane } from './jobs/job.ts';
import type { JobQueue } from './jobs/job-queue.ts';
import { createJobQueue } from './jobs/job-queue.ts';
import type { Runner, RunnerTimes } from './jobs/runner.ts';
import { createRunner } from './jobs/runner.ts';
import type { Log } from './log.ts';
import type { Ffmpeg } from './media/ffmpeg.ts';
import { createFfmpeg } from './media/ffmpeg.ts';
import { createWorkFolders } from './media/work-folders.ts';
import { loadSecrets } from './secrets.ts';
import { createContentFiles } from './storage/content-files.ts';

/** Where things lie that come with the product or are made while it runs; absolute. */
export interface Folders {
  /** The built app. */
  app: string;
  /** `whats-new.md` as it ships. */
  shippedNews: string;
  demoClips: string;
  demoChannels: string;
  /** What can be made again at any time. */
  cache: string;
  posters: string;
  /** Private folders of programs at work; empty when none runs. */
  work: string;
}

/** Everything that routes and features are given. Nothing else is global. */
export interface Services {
  env: Env;
  version: string;
  folders: Folders;
  clock: Clock;
  ids: Ids;
  randomBelow: RandomBelow;
  idSets: IdSets;
  log: Log;
  database: Database;
  revisions: Revisions;
  mediaUrls: MediaUrlSigner;
  identifyCaller: IdentifyCaller;
  streams: OpenStreams;
  files: SharedFiles;
  sender: ByteSender;
  /** Null without TLS. */
  secureOrigin: SecureOrigin | null;
  roots: LibraryRoots;
  places: VideoPlaces;
  scanner: Scanner;
  ffmpeg: Ffmpeg;
  posters: Posters;
  jobs: JobQueue;
  runner: Runner;
  /** Begins with the work in the background: jobs, and what is left over from last time. */
  startWork(): Promise<void>;
  /** By `clock.elapsed()`. */
  startedAt: number;
  close(): Promise<void>;
}

/** What tests put in place of the real thing. */
export type ServiceOverrides = Partial<Pick<Services, 'clock' | 'ids' | 'randomBelow' | 'identifyCaller'>> & {
  folders?: Partial<Folders>;
  /** How patient the runner of jobs is. */
  jobTimes?: Partial<RunnerTimes>;
  readHost?: SecureOriginParts['readHost'];
};

/** The composition root: opens, migrates, and hands each part what it needs. The library is not scanned yet. */
export async function createServices(env: Env, log: Log, version: string, overrides: ServiceOverrides = {}): Promise<Services> {
  const clock = overrides.clock ?? systemClock;
  const startedAt = clock.elapsed();
  const ids = overrides.ids ?? createIds(clock);
  const folders = { ...productFolders(env), ...overrides.folders };

  await mkdir(env.dataFolder, { recursive: true });
  const secureOrigin = await openSecureOrigin(env, { clock, log, readHost: overrides.readHost });
  const address = databaseAddress(env);
  const database = openDatabase(address);
  await migrate(database, clock);
  const secrets = await loadSecrets(database, clock);
  const randomBelow = overrides.randomBelow ?? secureRandomBelow;
  const idSets = createIdSets({ database, clock, log, randomBelow });
  await idSets.start();
  const roots = createLibraryRoots(database, idSets, clock, { folders: env.libraryFolders, demoFolder: folders.demoClips });
  await roots.refresh();
  const streams = createOpenStreams();
  const files = createSharedFiles(clock);
  const places = createVideoPlaces(database, roots);
  const workFolders = createWorkFolders(folders.work, clock);
  const ffmpeg = createFfmpeg({ configured: env.ffmpegPath, searchPath: env.searchPath, folders: workFolders });
  const jobs = createJobQueue({ database, clock, ids });
  const runner = createRunner({ queue: jobs, database, clock, ids, log, places: jobPlaces(), times: overrides.jobTimes ?? {} });
  const posters = createPosters({ database, clock, log, queue: jobs, ffmpeg, places, files: createContentFiles(folders.posters, '.webp', ids) });
  const scanner = createScanner({
    address,
    idSets,
    queue: jobs,
    ids,
    clock,
    roots,
    log,
    demoChannelsFile: folders.demoChannels,
    onScanned: () => posters.queueMissing(),
    wasInitialComplete: (await readRoots(database.reader)).every((root) => !root.isActive || root.scannedAt !== null),
  });

  return {
    env,
    version,
    folders,
    clock,
    ids,
    randomBelow,
    idSets,
    log,
    database,
    revisions: createRevisions(database, clock),
    mediaUrls: createMediaUrlSigner(secrets.mediaUrls, clock),
    identifyCaller: overrides.identifyCaller ?? identifyNobody,
    streams,
    files,
    sender: createByteSender(clock, streams),
    secureOrigin,
    roots,
    places,
    scanner,
    ffmpeg,
    posters,
    jobs,
    runner,
    startedAt,
    async startWork() {
      await workFolders.sweep();
      runner.start();
      await posters.open();
      if ((await ffmpeg.locate()) === null) log.warn('There is no ffmpeg that works: videos play as they are, without posters.');
      await posters.queueMissing();
    },
    async close() {
      await runner.stop();
      secureOrigin?.close();
      await scanner.stop();
      await files.closeIdle();
      await posters.stop();
      await idSets.stop();
      await database.close();
    },
  };
}

/** Video work leaves half of the processors to the viewers. */
function jobPlaces(): Record<JobLane, number> {
  return { media: Math.max(1, Math.floor(availableParallelism() / 2)), light: 2 };
}

const product = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

function productFolders(env: Env): Folders {
  return {
    app: product('.build/app'),
    shippedNews: product('public/whats-new.md'),
    demoClips: product('src/demo/clips'),
    demoChannels: product('src/demo/channels.json'),
    cache: join(env.dataFolder, 'cache'),
    posters: join(env.dataFolder, 'derived', 'posters'),
    work: join(env.dataFolder, 'work'),
  };
}

function databaseAddress(env: Env): DatabaseAddress {
  if (env.databaseUrl !== undefined) return { kind: 'postgres', url: env.databaseUrl };
  return { kind: 'sqlite', file: join(env.dataFolder, 'fourfold.sqlite') };
}
