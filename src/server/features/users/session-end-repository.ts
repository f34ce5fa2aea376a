import type { Executor } from '../../database/tables.ts';

/** @param except one that stays */
export async function deleteSessionsOf(executor: Executor, userId: string, except = ''): Promise<void> {
  await executor.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', except).execute();
}
