import type { Database } from '../../../database/connection.ts';
import type { Executor } from '../../../database/tables.ts';
import { setRepository } from '../../../id-sets/set-repository.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import type { Ids } from '../../../ids.ts';
import type { Prober } from '../../../media/prober.ts';
import type { TouchedVideos } from '../folder-channels/first-folders.ts';
import type { LibraryFiles } from '../library-files.ts';
import type { StoreRoot } from './store-root.ts';

/** The dependencies of a scan. */
export interface ScanTools {
  reader: Executor;
  write: WriteWithSets;
  ids: Ids;
  files: LibraryFiles;
  headers: Pick<Prober, 'read'>;
  /** The libraries in stores, by their places; absent without any. */
  stores?: ReadonlyMap<string, StoreRoot>;
}

/** The results of a scan, in numbers of files. */
export interface ScanCount {
  found: number;
  playable: number;
  /** New or changed files, whose headers were read. */
  read: number;
  vanished: number;
  /** Unreadable files and folders, whose videos stay as they are. */
  unread: number;
  /** Files found again at another path, by their bytes. */
  moved: number;
}

/** The state of one scan in progress. */
export interface ScanRun {
  /** Epoch milliseconds, used for everything that the scan writes. */
  now: number;
  signal: AbortSignal;
  count: ScanCount;
  /** The last video number at the start: videos up to it may turn out to have moved. */
  lastNumber: number;
  /** Paths that were being written, to be scanned again soon. */
  unsettled: UnsettledPlace[];
  /** Videos whose folder links are to be updated. */
  touched: TouchedVideos;
  /** Called from time to time. */
  onProgress?: (count: ScanCount) => void;
}

export interface UnsettledPlace {
  rootNumber: number;
  path: string;
}

export function noCount(): ScanCount {
  return { found: 0, playable: 0, read: 0, vanished: 0, unread: 0, moved: 0 };
}

/**
 * Writes videos and the changes of their sets from a thread without the sets in memory; `onStored`
 * tells the process that has them to catch up.
 */
export function createRecordingWrite(database: Database, onStored: () => void): WriteWithSets {
  return async (work, beside) => {
    const result = await setRepository.writeWithLog(database, work, beside);
    onStored();
    return result;
  };
}

interface UnreadOutcome extends Pick<ScanCount, 'unread'> {
  missingFolders: readonly string[];
}

interface RetryDeps {
  request(): unknown;
  /** Finds the folders of the library that cannot be read, or are empty, at the moment. */
  findAway(): Promise<readonly string[]>;
}

const retryMs = 30_000;
/** Everything is scanned again that often anyway. */
const longestRetryMs = 15 * 60_000;

/**
 * Requests another scan when one could not read everything. A scan walks through all folders, so a
 * missing one is looked for alone until it is back. Places that stay unreadable, such as the
 * `lost+found` of a disk, and stores that stay away are tried ever more rarely.
 */
export class ScanRetry {
  private readonly deps: RetryDeps;
  private readonly timers = new Set<NodeJS.Timeout>();
  private unreadMs = retryMs;

  constructor(deps: RetryDeps) {
    this.deps = deps;
  }

  /** @param outcome of the last scan; null: it failed */
  plan(outcome: UnreadOutcome | null): void {
    this.cancel();
    const { unread, missingFolders } = outcome ?? { unread: 0, missingFolders: [] };
    const folders = missingFolders.filter((place) => place.startsWith('/'));
    const isPartial = unread > 0 || folders.length < missingFolders.length;
    if (outcome === null) this.after(retryMs, this.deps.request);
    if (isPartial) this.after(this.unreadMs, this.deps.request);
    this.unreadMs = isPartial ? Math.min(this.unreadMs * 2, longestRetryMs) : retryMs;
    if (folders.length > 0) this.after(retryMs, (timer) => this.lookFor(folders, timer));
  }

  cancel(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  private async lookFor(folders: readonly string[], timer: NodeJS.Timeout): Promise<void> {
    const away = await this.deps.findAway();
    if (!this.timers.delete(timer)) return;
    if (folders.some((folder) => !away.includes(folder))) this.deps.request();
    else this.after(retryMs, (next) => this.lookFor(folders, next));
  }

  private after(ms: number, work: (timer: NodeJS.Timeout) => unknown): void {
    const timer = setTimeout(() => void work(timer), ms).unref();
    this.timers.add(timer);
  }
}
