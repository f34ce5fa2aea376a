import type { Executor } from '../../../database/tables.ts';

const name = 'folder_channels';

/** Whether first folders become channels; off until it was decided. */
export async function readFolderSwitch(executor: Executor): Promise<boolean> {
  const row = await executor.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value === 'true';
}

export async function writeFolderSwitch(executor: Executor, isEnabled: boolean, now: number): Promise<void> {
  const facts = { value: JSON.stringify(isEnabled), updated_at: now };
  await executor
    .insertInto('settings')
    .values({ name, ...facts })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
    .execute();
}

/** For a site that nobody has decided for: on, but off where people have made channels by themselves. */
export async function decideFolderSwitch(executor: Executor, now: number): Promise<void> {
  const tagOfPeople = await executor
    .selectFrom('tags')
    .select('number')
    .where('active', '=', 1)
    .where('root_number', 'is', null)
    .limit(1)
    .executeTakeFirst();
  await executor
    .insertInto('settings')
    .values({ name, value: JSON.stringify(tagOfPeople === undefined), updated_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}
