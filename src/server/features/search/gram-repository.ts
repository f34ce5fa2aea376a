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

/** In how many names some parts are; parts that are in none are left out. */
export async function countByGram(executor: Executor, grams: readonly string[]): Promise<Map<string, number>> {
  const rows = await executor
    .selectFrom('name_grams')
    .select(['gram', sql<number | string>`sum(count)`.as('total')])
    .where('gram', 'in', grams)
    .groupBy('gram')
    .execute();
  return new Map(rows.map(({ gram, total }) => [gram, Number(total)]));
}

/** @param block only this one */
export async function readGrams(executor: Executor, grams: readonly string[], block?: number): Promise<GramBlock[]> {
  return executor
    .selectFrom('name_grams')
    .select(['gram', 'block', 'bits'])
    .where('gram', 'in', grams)
    .$if(block !== undefined, (query) => query.where('block', '=', block ?? 0))
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
