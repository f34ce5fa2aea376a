import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Status } from '#contract/entities/feed.ts';
import type { Debug } from '#contract/entities/site.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { DatabaseDamaged } from '../../database/damage.ts';
import type { Env } from '../../env.ts';
import { Unavailable } from '../../http/pipeline/errors.ts';
import type { OpenStreams } from '../../http/pipeline/listen.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import { jobRepository } from '../../jobs/job-repository.ts';
import type { Ffmpeg } from '../../media/ffmpeg/ffmpeg.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import type { Store } from '../../storage/stores/store.ts';
import { encodeKind } from '../encodings/encode-order.ts';
import { libraryRepository } from '../library/library-repository.ts';
import type { LibraryRoots } from '../library/library-roots.ts';
import { rootRepository } from '../library/root-repository.ts';
import type { Scanner } from '../library/scan/scanner.ts';
import type { CacheFolders } from './cache.ts';
import { measureCaches } from './cache.ts';

export interface StatusSources {
  database: Database;
  scanner: Scanner;
  idSets: Pick<IdSets, 'count'>;
  restrictedTags: RestrictedTags;
}

/** Counts what a viewer of a rank sees. Where videos are withheld, only available ones count. */
export async function readSiteStatus(
  { database, scanner, idSets, restrictedTags }: StatusSources,
  rank: number,
): Promise<Status> {
  const restrictedFrom = await restrictedTags.from(rank);
  const seen = idSets.count({ tags: [], mode: 'OR', blocked: [], restrictedFrom });
  const { total, available } =
    restrictedFrom === undefined ? await libraryRepository.count(database.reader) : { total: seen, available: seen };
  const scan = scanner.facts();
  const playlist = { PlaylistLength: available };
  return {
    TotalVideos: total,
    AvailableVideos: available,
    total_videos: total,
    available_videos: available,
    QuadrantStatus: { 'top-left': playlist, 'top-right': playlist, 'bottom-left': playlist, 'bottom-right': playlist },
    ScanningStatus: {
      FullScanComplete: scan.isComplete,
      BackgroundScanning: scan.isRunning,
      InitialScanComplete: scan.isInitialComplete,
    },
  };
}

export interface ReadinessSources extends Pick<DebugSources, 'database' | 'store'> {
  nodes: Pick<Nodes, 'isReady' | 'isDraining'>;
  roots: Pick<LibraryRoots, 'isAway'>;
  env: Pick<Env, 'servesFolders' | 'dataFolder'>;
}

/** @throws Unavailable while this server starts or leaves, or cannot use what it needs */
export async function checkReadiness(sources: ReadinessSources): Promise<void> {
  const { database, store, nodes, roots, env } = sources;
  if (!nodes.isReady) throw new Unavailable(`The server is ${nodes.isDraining ? 'stopping' : 'starting'}.`);
  try {
    await database.ping();
    await access(env.dataFolder, constants.R_OK | constants.W_OK);
    await store?.check();
  } catch (error) {
    if (error instanceof DatabaseDamaged) throw new Unavailable('The database is damaged or gone; the log says more.');
    throw new Unavailable('The database or the storage does not answer.');
  }
  if (!env.servesFolders) return;
  for (const { number, folder, isActive, missingSince } of await rootRepository.list(database.reader))
    if (isActive && missingSince === null && (await roots.isAway(number)))
      throw new Unavailable(`The library folder ${folder} cannot be read.`);
}

export interface DebugSources {
  version: string;
  clock: Clock;
  /** The start time by `clock.elapsed()`. */
  startedAt: number;
  database: Database;
  streams: OpenStreams;
  scanner: Scanner;
  folders: CacheFolders;
  ffmpeg: Ffmpeg;
  store: Store | null;
}

export async function describeProcess({
  version,
  clock,
  startedAt,
  database,
  streams,
  scanner,
  folders,
  ffmpeg,
  store,
}: DebugSources): Promise<Debug> {
  const jobs = await jobRepository.countByState(database.reader);
  const { kind } = await ffmpeg.confinement();
  return {
    version,
    node: process.version,
    uptime_seconds: Math.round((clock.elapsed() - startedAt) / 1000),
    database: database.dialect.kind,
    storage: store === null ? 'disk' : 's3',
    queues: {
      streams: streams.size,
      scans: scanner.facts().isRunning ? 1 : 0,
      jobs_queued: jobs.get('queued') ?? 0,
      jobs_running: jobs.get('running') ?? 0,
      jobs_failed: jobs.get('failed') ?? 0,
      encodings_queued: (await jobRepository.countByState(database.reader, encodeKind)).get('queued') ?? 0,
    },
    cache_bytes: await measureCaches(folders),
    ffmpeg: await ffmpeg.locate(),
    sandbox: kind === 'none' ? null : kind,
  };
}
