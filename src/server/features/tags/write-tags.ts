import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';

export interface WriteTagsDeps {
  database: Pick<Database, 'dialect'>;
  idSets: Pick<IdSets, 'write'>;
  revisions: Pick<Revisions, 'forget'>;
}

/**
 * One transaction that changes tags or what they are on, one after the other over all processes: what it reads of them
 * stays true until it ends. Clients ask again for what they list. @throws Refusal 409 for a name that was taken
 */
export type WriteTags = <Value>(work: (transaction: Executor, changes: SetChanges) => Promise<Value>) => Promise<Value>;

export function createWriteTags({ database, idSets, revisions }: WriteTagsDeps): WriteTags {
  return async (work) => {
    try {
      return await idSets.write(async (transaction, changes) => {
        const value = await work(transaction, changes);
        await bumpRevision(transaction, 'tags');
        return value;
      });
    } catch (error) {
      // A scan that brings channels along writes them without the log.
      if (database.dialect.isConflict(error)) throw new Refusal('conflict');
      throw error;
    } finally {
      revisions.forget();
    }
  };
}
