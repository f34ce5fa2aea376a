import { setImmediate as breathe } from 'node:timers/promises';
import type { Database } from '../../../database/connection.ts';
import type { SweepTime } from '../../../database/sweep-time.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { JobKind, NewJob } from '../../../jobs/job.ts';
import type { DerivedFiles } from '../../../storage/derived-files.ts';
import { findUsedContents, forgetOutdated } from './derived-repository.ts';
import type { RoomDeps } from './room.ts';

const cleanUpKind = 'encoding-clean-up';
const strayAfterMs = 3_600_000;
const videosTogether = 100;

/** The job that removes what no video uses any more. */
export const encodingCleanUp: NewJob = { kind: cleanUpKind, subject: 'all' };

export interface CleanUpDeps extends Pick<RoomDeps, 'alignEncoded'> {
  database: Database;
  idSets: Pick<IdSets, 'write'>;
  sweepTime: SweepTime;
  files: Pick<DerivedFiles, 'sweep'>;
}

export function cleanUpJobs(deps: CleanUpDeps): JobKind {
  return { kind: cleanUpKind, lane: 'light', attemptsMax: 3, isOneForAll: true, run: () => cleanUp(deps) };
}

/** First the rows of files that have changed, then the files without a row. */
async function cleanUp({ database, idSets, sweepTime, files, alignEncoded }: CleanUpDeps): Promise<void> {
  for (let isAll = false; !isAll; await breathe())
    isAll = await idSets.write(async (transaction, changes) => {
      const forgotten = await forgetOutdated(transaction, videosTogether);
      for (const number of forgotten.videoNumbers) await alignEncoded(transaction, changes, number);
      return forgotten.isAll;
    });
  await files.sweep((await sweepTime.read()) - strayAfterMs, (contents) => findUsedContents(database.reader, contents));
}
