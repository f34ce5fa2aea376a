import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { SweepTime } from '../../../database/sweep-time.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Ids } from '../../../ids.ts';
import type { Prober } from '../../../media/probe/prober.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { UploadLocks } from '../lock/upload-locks.ts';
import type { KeyedTurns } from './keyed-turns.ts';

/** What makes videos of files works with. */
export interface IntakeDeps {
  database: Database;
  sweepTime: SweepTime;
  idSets: Pick<IdSets, 'write'>;
  clock: Clock;
  ids: Ids;
  storage: Storage;
  locks: UploadLocks;
  prober: Pick<Prober, 'read'>;
  turns: KeyedTurns;
  /** The number of the root of uploads. */
  rootNumber(): number;
}
