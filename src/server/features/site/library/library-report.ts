import type { Library, LibraryRoot, LibraryScan } from '#contract/entities/site/library.ts';
import type { Database } from '../../../database/connection.ts';
import type { Executor } from '../../../database/tables.ts';
import { findLastEnded, listJobs } from '../../../jobs/job-repository.ts';
import type { DiskBytes, DiskSpace } from '../../../storage/disk-space.ts';
import { countHidden } from '../../library/hidden/hidden-video-repository.ts';
import type { KnownRoot } from '../../library/paths/root-repository.ts';
import { readRoots } from '../../library/paths/root-repository.ts';
import type { Scanner } from '../../library/scan/scanner.ts';
import { scanKind } from '../../library/scan/scanner.ts';
import { countUnplayableVideos } from '../../library/unplayable/unplayable-video-repository.ts';
import type { CacheFolders } from '../cache.ts';
import { measureCaches } from '../cache.ts';
import type { RootCount } from './root-count-repository.ts';
import type { RootCounts } from './root-counts.ts';

export interface LibrarySources {
  database: Database;
  scanner: Pick<Scanner, 'facts'>;
  rootCounts: RootCounts;
  diskSpace: DiskSpace;
  folders: CacheFolders;
}

/** The folders that are served, the scan of them, and what cannot be seen. */
export async function readLibrary(sources: LibrarySources): Promise<Library> {
  const { reader } = sources.database;
  return {
    roots: await readRootsWithCounts(sources),
    scan: await readScan(reader, sources.scanner),
    unplayable: await countUnplayableVideos(reader, ''),
    hidden: await countHidden(reader),
    cache_bytes: await measureCaches(sources.folders),
  };
}

async function readRootsWithCounts({ database, rootCounts, diskSpace }: LibrarySources): Promise<LibraryRoot[]> {
  const counts = await rootCounts.read();
  const roots: LibraryRoot[] = [];
  for (const root of await readRoots(database.reader)) {
    // That of uploads is there before the first one.
    const isUnused = root.kind === 'uploads' && (counts.get(root.number)?.videos ?? 0) === 0;
    if (!root.isActive || isUnused) continue;
    // Where a disk is to be mounted stands the one around it.
    const bytes = root.missingSince === null ? await diskSpace.read(root.folder) : null;
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
    missing_since: toText(root.missingSince),
    scanned_at: toText(root.scannedAt),
    free_bytes: bytes?.free ?? null,
    total_bytes: bytes?.total ?? null,
  };
}

/** Also of one that another process makes. */
async function readScan(reader: Executor, scanner: Pick<Scanner, 'facts'>): Promise<LibraryScan> {
  const { isRunning, found, progress } = scanner.facts();
  const last = await findLastEnded(reader, scanKind, 'done');
  const [elsewhere] = isRunning
    ? []
    : await listJobs(reader, { kind: scanKind, state: 'running' }, { limit: 1, offset: 0 });
  return {
    is_running: isRunning || elsewhere !== undefined,
    progress: elsewhere?.progress ?? progress,
    found: elsewhere === undefined ? found : null,
    finished_at: toText(last?.finishedAt ?? null),
    duration_seconds:
      last === null || last.startedAt === null || last.finishedAt === null
        ? null
        : Math.max(0, last.finishedAt - last.startedAt) / 1000,
  };
}

function toText(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
