import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';

/**
 * The oldest of a person's files that came to nothing, beyond those that are kept; files of an open session stay. Twice
 * as many as a session has at a time: there are never more of them for long.
 */
export async function forgetFailed(transaction: Executor, userId: string): Promise<void> {
  const surplus = transaction
    .selectFrom('upload_files')
    .select('id')
    .where('user_id', '=', userId)
    .where('state', '=', 'failed')
    .orderBy('id', 'desc')
    .offset(limits.failedUploadsKept)
    .limit(2 * limits.uploadFilesPerSession);
  const open = transaction.selectFrom('upload_sessions').select('id').where('state', '=', 'open');
  await transaction
    .deleteFrom('upload_files')
    .where('id', 'in', surplus)
    .where('session_id', 'not in', open.where('user_id', '=', userId))
    .execute();
}

/** Sessions that are over and of which no file is left. @returns how many */
export async function deleteEmptySessions(transaction: Executor, limit: number): Promise<number> {
  const empty = transaction
    .selectFrom('upload_sessions')
    .select('id')
    .where('state', '!=', 'open')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('upload_files').select('id').whereRef('session_id', '=', 'upload_sessions.id'))),
    )
    .limit(limit);
  const rows = await transaction.deleteFrom('upload_sessions').where('id', 'in', empty).returning('id').execute();
  return rows.length;
}
