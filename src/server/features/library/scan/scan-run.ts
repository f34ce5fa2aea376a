import type { Database } from '../../../database/connection.ts';
import type { Executor } from '../../../database/tables.ts';
import { writeWithLog } from '../../../id-sets/set-repository.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import type { Ids } from '../../../ids.ts';
import type { Prober } from '../../../media/prober.ts';
import type { TouchedVideos } from '../folder-channels/first-folders.ts';
import type { LibraryFiles } from '../library-files.ts';

/** What a scan works with. */
export interface ScanTools {
  reader: Executor;
  write: WriteWithSets;
  ids: Ids;
  files: LibraryFiles;
  headers: Pick<Prober, 'read'>;
}

/** What a scan found, in files. */
export interface ScanCount {
  found: number;
  playable: number;
  /** New or changed, so that their headers were read. */
  read: number;
  vanished: number;
  /** Files and folders of which the disk told nothing; what is known of them stays as it is. */
  unread: number;
  /** Found again in another place, by their bytes. */
  moved: number;
}

/** One scan while it is under way. */
export interface ScanRun {
  /** Epoch milliseconds, for everything that it writes. */
  now: number;
  signal: AbortSignal;
  count: ScanCount;
  /** The last number that was given out when it began: videos up to it may turn out to have moved. */
  lastNumber: number;
  /** Where something was being written: to be looked at again soon. */
  unsettled: UnsettledPlace[];
  /** Whose links by folder are to be brought in line. */
  touched: TouchedVideos;
  /** Called now and then. */
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
 * Writes videos and what changes in the sets of them from where the sets are not in memory; `onStored` tells whoever
 * has them to follow.
 */
export function createRecordingWrite(database: Database, onStored: () => void): WriteWithSets {
  return async (work) => {
    const result = await writeWithLog(database, work);
    onStored();
    return result;
  };
}
