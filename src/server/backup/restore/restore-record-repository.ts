import type { Executor } from '../../database/tables.ts';

/** Of the row in `settings` that says which restore has made this database; no backup holds it. */
export const restoreRecordName = 'restored';

/** @param id of the restore */
export async function writeRestoreRecord(executor: Executor, id: string, now: number): Promise<void> {
  await executor
    .insertInto('settings')
    .values({ name: restoreRecordName, value: JSON.stringify(id), updated_at: now })
    .execute();
}

/** Null for a database that was never restored. */
export async function readRestoreRecord(executor: Executor): Promise<string | null> {
  const row = await executor
    .selectFrom('settings')
    .select('value')
    .where('name', '=', restoreRecordName)
    .executeTakeFirst();
  return row === undefined ? null : String(JSON.parse(row.value));
}
