import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';

/** Active tags by their ids; others are left out. */
export async function findBatchTags(executor: Executor, ids: readonly string[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await executor
    .selectFrom('tags')
    .select('number')
    .where('id', 'in', ids.slice(0, inListLength))
    .where('active', '=', 1)
    .execute();
  return rows.map(({ number }) => number);
}
