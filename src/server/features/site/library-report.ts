import { setImmediate as breathe } from 'node:timers/promises';
import type { Library, LibraryRoot, LibraryScan } from '#contract/entities/library.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import { jobRepository } from '../../jobs/job-repository.ts';
import type { DiskBytes, DiskSpace } from '../../storage/disk-space.ts';
import type { LibraryRoots } from '../library/library-roots.ts';
import type { KnownRoot } from '../library/root-repository.ts';
import { rootRepository } from '../library/root-repository.ts';
import type { Scanner } from '../library/scan/scanner.ts';
import { scanKind } from '../library/scan/scanner.ts';
import { withheldVideoRepository } from '../library/withheld-video-repository.ts';
import { videoRepository } from '../videos/video-repository.ts';
import type { CacheFolders } from './cache.ts';
import { measureCaches } from './cache.ts';
import type { RootCount } from './site-repository.ts';
import { siteRepository } from './site-repository.ts';

export interface LibrarySources {
  database: Database;
  scanner: Pick<Scanner, 'facts'>;
  rootCounts: RootCounts;
  roots: Pick<LibraryRoots, 'active'>;
  diskSpace: DiskSpace;
  folders: CacheFolders;
}

/** The library folders, the scan, and the videos that are not shown. */
export async function readLibraryReport(sources: LibrarySources): Promise<Library> {
  const { reader } = sources.database;
  return {
    roots: await readRootsWithCounts(sources),
    scan: await readScan(reader, sources.scanner),
    unplayable: await withheldVideoRepository.countUnplayable(reader, ''),
    hidden: await withheldVideoRepository.countHidden(reader),
    cache_bytes: await measureCaches(sources.folders),
  };
}

async function readRootsWithCounts({
  database,
  rootCounts,
  roots: served,
  diskSpace,
}: LibrarySources): Promise<LibraryRoot[]> {
  const counts = await rootCounts.read();
  const roots: LibraryRoot[] = [];
  for (const stored of await rootRepository.list(database.reader)) {
    const folder = served.active().find(({ number }) => number === stored.number)?.folder ?? stored.folder;
    const root = { ...stored, folder };
    // The root of uploads exists before the first upload.
    const isUnused = root.kind === 'uploads' && (counts.get(root.number)?.videos ?? 0) === 0;
    if (!root.isActive || isUnused) continue;
    // No store says how much room there is. A missing root is not measured: its path would give the disk around the mount point.
    const bytes = root.missingSince === null && root.kind !== 'store' ? await diskSpace.read(root.folder) : null;
    roots.push(toRoot(root, counts.get(root.number), bytes));
  }
  return roots;
}

function toRoot(root: KnownRoot, count: RootCount | undefined, bytes: DiskBytes | null): LibraryRoot {
  return {
    name: root.name,
    folder: root.folder,
    kind: root.kind,
    videos: count?.videos ?? 0,
    available: count?.available ?? 0,
    missing_since: toInstantText(root.missingSince),
    scanned_at: toInstantText(root.scannedAt),
    free_bytes: bytes?.free ?? null,
    total_bytes: bytes?.total ?? null,
  };
}

/** The state of the scan, including one in another process. */
async function readScan(reader: Executor, scanner: Pick<Scanner, 'facts'>): Promise<LibraryScan> {
  const { isRunning, found, progress } = scanner.facts();
  const last = await jobRepository.findLastEnded(reader, scanKind, 'done');
  const [elsewhere] = isRunning
    ? []
    : await jobRepository.list(reader, { kind: scanKind, state: 'running' }, { limit: 1, offset: 0 });
  return {
    is_running: isRunning || elsewhere !== undefined,
    progress: elsewhere?.progress ?? progress,
    found: elsewhere === undefined ? found : null,
    finished_at: toInstantText(last?.finishedAt ?? null),
    duration_seconds:
      last === null || last.startedAt === null || last.finishedAt === null
        ? null
        : Math.max(0, last.finishedAt - last.startedAt) / 1000,
  };
}

function toInstantText(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/** Counts by number of the root. */
type CountsByRoot = ReadonlyMap<number, RootCount>;

interface Counted {
  revision: number;
  counts: CountsByRoot;
  /** The time of the count by `clock.elapsed()`. */
  at: number;
  tookMs: number;
}

/** Rows that one query counts in some milliseconds before other work gets a turn. */
const countedTogether = 5_000;
/**
 * Counts are reused for this many times as long as counting takes while the library changes.
 * Counting a million rows takes half a second.
 */
const restFactor = 10;

/** The number of videos of each root, counted again only after a change. */
export class RootCounts {
  private readonly database: Database;
  /** Every change of a video also changes the revision of the sets. */
  private readonly idSets: Pick<IdSets, 'revision'>;
  private readonly clock: Clock;
  private latest: Counted | null = null;
  private counting: Promise<CountsByRoot> | null = null;

  constructor(database: Database, idSets: Pick<IdSets, 'revision'>, clock: Clock) {
    this.database = database;
    this.idSets = idSets;
    this.clock = clock;
  }

  async read(): Promise<CountsByRoot> {
    if (this.latest !== null && this.isGood(this.latest)) return this.latest.counts;
    this.counting ??= this.count().finally(() => {
      this.counting = null;
    });
    return this.counting;
  }

  private isGood({ revision, at, tookMs }: Counted): boolean {
    const { idSets, clock } = this;
    return revision === idSets.revision() || clock.elapsed() - at < tookMs * restFactor;
  }

  private async count(): Promise<CountsByRoot> {
    const { database, idSets, clock } = this;
    const [revision, startedAt] = [idSets.revision(), clock.elapsed()];
    const counts = new Map<number, RootCount>();
    const last = await videoRepository.readLastNumber(database.reader);
    for (let after = 0; after < last; after += countedTogether) {
      for (const count of await siteRepository.countByRoot(database.reader, after, after + countedTogether))
        addCount(counts, count);
      await breathe();
    }
    const at = clock.elapsed();
    this.latest = { revision, counts, at, tookMs: at - startedAt };
    return counts;
  }
}

function addCount(counts: Map<number, RootCount>, { rootNumber, videos, available }: RootCount): void {
  const known = counts.get(rootNumber);
  counts.set(rootNumber, {
    rootNumber,
    videos: videos + (known?.videos ?? 0),
    available: available + (known?.available ?? 0),
  });
}
