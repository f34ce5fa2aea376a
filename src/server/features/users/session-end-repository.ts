import type { Executor } from '../../database/tables.ts';

/** With the keys of the person's uploads, which would outlive them. @param except one that stays */
export async function deleteSessionsOf(executor: Executor, userId: string, except = ''): Promise<void> {
  await executor.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', except).execute();
  await executor
    .updateTable('upload_sessions')
    .set({ key_hash: '' })
    .where('user_id', '=', userId)
    .where('key_hash', '<>', '')
    .execute();
}
