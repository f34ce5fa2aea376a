import type { Database } from '../../../database/connection.ts';
import { writeWithLog } from '../../../id-sets/set-repository.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';

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
