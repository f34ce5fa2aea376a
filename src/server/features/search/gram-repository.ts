import { sql } from 'kysely';
import type { Executor } from '../../database/tables.ts';

/** Videos of one block whose names have one part in them. */
export interface GramBlock {
  gram: string;
  block: number;
  bits: Buffer;
}

export async function hasGrams(executor: Executor): Promise<boolean> {
  return (await executor.selectFrom('name_grams').select('block').limit(1).executeTakeFirst()) !== undefined;
}

/** How common a part is. */
export interface GramTotal {
  gram: string;
  /** Names that it is in. */
  count: number;
  /** The highest one with such a name. */
  lastBlock: number;
}

/** Parts that are in no name are left out. */
export async function readGramTotals(executor: Executor, grams: readonly string[]): Promise<GramTotal[]> {
  const rows = await executor
    .selectFrom('name_grams')
    .select(['gram', sql<number | string>`sum(count)`.as('total'), sql<number>`max(block)`.as('lastBlock')])
    .where('gram', 'in', grams)
    .groupBy('gram')
    .execute();
  return rows.map(({ gram, total, lastBlock }) => ({ gram, count: Number(total), lastBlock }));
}

/** From the first block to the last, both included. */
export async function readGrams(
  executor: Executor,
  grams: readonly string[],
  { first, last }: { first: number; last: number },
): Promise<GramBlock[]> {
  return executor
    .selectFrom('name_grams')
    .select(['gram', 'block', 'bits'])
    .where('gram', 'in', grams)
    .where('block', '>=', first)
    .where('block', '<=', last)
    .execute();
}

export async function putGrams(transaction: Executor, rows: readonly (GramBlock & { count: number })[]): Promise<void> {
  await transaction
    .insertInto('name_grams')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['gram', 'block']).doUpdateSet((row) => ({
        bits: row.ref('excluded.bits'),
        count: row.ref('excluded.count'),
      })),
    )
    .execute();
}
