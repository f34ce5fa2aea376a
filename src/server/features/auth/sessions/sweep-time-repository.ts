import type { Executor } from '../../../database/tables.ts';

const name = 'swept_until';

/** Up to when, in epoch milliseconds, what had run out has been removed; null before the first time. */
export async function readSweepTime(executor: Executor): Promise<number | null> {
  const row = await executor.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}

export async function writeSweepTime(executor: Executor, sweptUntil: number, now: number): Promise<void> {
  const facts = { value: JSON.stringify(sweptUntil), updated_at: now };
  await executor
    .insertInto('settings')
    .values({ name, ...facts })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
    .execute();
}
