import { limits } from '#contract/limits.ts';
import type { Executor } from '../../database/tables.ts';

/** How long a video plays before the next one, in seconds. */
export async function readSwitchInterval(executor: Executor): Promise<number> {
  const row = await executor
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'switch_interval_seconds')
    .executeTakeFirst();
  return row === undefined ? limits.switchIntervalSeconds : Number(row.value);
}

export async function writeSwitchInterval(executor: Executor, seconds: number, now: number): Promise<void> {
  const facts = { value: JSON.stringify(seconds), updated_at: now };
  await executor
    .insertInto('settings')
    .values({ name: 'switch_interval_seconds', ...facts })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
    .execute();
}

/** Changes nothing. @throws as any other write would at this moment */
export async function tryWrite(executor: Executor): Promise<void> {
  await executor.deleteFrom('settings').where('name', '=', '').execute();
}
