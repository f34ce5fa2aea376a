import type { Executor } from '../../database/tables.ts';
import { voidKeysOf } from '../uploads/session/session-repository.ts';

/** With the keys of the person's uploads, which would outlive them. @param except one that stays */
export async function deleteSessionsOf(executor: Executor, userId: string, except = ''): Promise<void> {
  await executor.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', except).execute();
  await voidKeysOf(executor, userId);
}
