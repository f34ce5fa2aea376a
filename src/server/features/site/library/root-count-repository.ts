import { sql } from 'kysely';
import { countAll } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';

export interface RootCount {
  rootNumber: number;
  /** Videos that are there, or were when the root itself was. */
  videos: number;
  available: number;
}

/** Of the videos with numbers from beyond one up to another. Roots without any are left out. */
export async function countByRoot(executor: Executor, afterNumber: number, upToNumber: number): Promise<RootCount[]> {
  const rows = await executor
    .selectFrom('videos')
    .select(['root_number', countAll().as('videos'), sql<number>`sum(available)`.as('available')])
    .where('number', '>', afterNumber)
    .where('number', '<=', upToNumber)
    .where('missing_since', 'is', null)
    .groupBy('root_number')
    .execute();
  return rows.map(({ root_number, videos, available }) => ({ rootNumber: root_number, videos, available }));
}
