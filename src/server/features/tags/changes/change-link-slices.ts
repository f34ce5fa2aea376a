import type { Database } from '../../../database/connection.ts';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import type { LinkSlice } from './change-link-repository.ts';
import { findNextTag, listChangeLinks } from './change-link-repository.ts';

export interface ChangeLinksDeps {
  database: Pick<Database, 'reader'>;
  idSets: Pick<IdSets, 'writeInSlices'>;
}

/** What is done with some links of a change that are in one state. */
type LinkWork = (transaction: Executor, changes: SetChanges, slice: LinkSlice) => Promise<void>;

/** Goes through the links of a change, by tag and video, in transactions of some milliseconds. */
export async function workThroughLinks(
  { database, idSets }: ChangeLinksDeps,
  changeNumber: number,
  work: Partial<Record<'planned' | 'added', LinkWork>>,
  signal: AbortSignal,
): Promise<void> {
  const next = (after: number) => findNextTag(database.reader, changeNumber, after);
  for (let tag = await next(0); tag !== null; tag = await next(tag)) {
    const tagNumber = tag;
    await idSets.writeInSlices(async (transaction, changes, { after, length }) => {
      const links = await listChangeLinks(transaction, { changeNumber, tagNumber }, after, length);
      for (const state of ['planned', 'added'] as const) {
        const numbers = links.filter((link) => link.state === state).map((link) => link.videoNumber);
        for (let from = 0; from < numbers.length; from += inListLength) {
          const videoNumbers = numbers.slice(from, from + inListLength);
          await work[state]?.(transaction, changes, { changeNumber, tagNumber, videoNumbers });
        }
      }
      return links.at(-1)?.videoNumber ?? null;
    }, signal);
  }
}
