import type { Clock } from '../../../clock.ts';
import type { DatabaseAddress } from '../../../database/connection.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Ids } from '../../../ids.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import type { Log } from '../../../log.ts';
import type { LibraryRoots } from '../paths/roots.ts';

/** What the scanner works with. */
export interface ScannerDeps {
  address: DatabaseAddress;
  idSets: Pick<IdSets, 'catchUp'>;
  queue: Pick<JobQueue, 'register' | 'add' | 'isActive' | 'wasCancelled'>;
  ids: Pick<Ids, 'short'>;
  clock: Clock;
  log: Log;
  roots: Pick<LibraryRoots, 'active'>;
  demoChannelsFile: string;
  /** Called after each scan that found something new. */
  onScanned?: () => unknown;
  /** Whether every root was scanned to its end before this process began. */
  wasInitialComplete: boolean;
  /** What the first scan will find at least, as far as is known. */
  knownFiles: number;
}
