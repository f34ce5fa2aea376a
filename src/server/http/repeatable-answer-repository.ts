import type { Executor } from '../database/tables.ts';

export interface RepeatableAnswer {
  bodyHash: string;
  /** Null while the first call runs, as is `answer`. */
  status: number | null;
  answer: string | null;
}

/** @returns null for the first call with this key; what is known of it for every other one */
export async function claimAnswer(transaction: Executor, key: string, bodyHash: string, now: number, forgottenAt: number): Promise<RepeatableAnswer | null> {
  await transaction.deleteFrom('repeatable_answers').where('key', '=', key).where('forgotten_at', '<=', now).execute();
  const claimed = await transaction
    .insertInto('repeatable_answers')
    .values({ key, body_hash: bodyHash, status: null, answer: null, forgotten_at: forgottenAt })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('key')
    .executeTakeFirst();
  if (claimed !== undefined) return null;
  const row = await transaction.selectFrom('repeatable_answers').selectAll().where('key', '=', key).executeTakeFirst();
  return row === undefined ? null : { bodyHash: row.body_hash, status: row.status, answer: row.answer };
}

export async function keepAnswer(transaction: Executor, key: string, status: number, answer: string, forgottenAt: number): Promise<void> {
  await transaction.updateTable('repeatable_answers').set({ status, answer, forgotten_at: forgottenAt }).where('key', '=', key).execute();
}

export async function dropAnswer(transaction: Executor, key: string): Promise<void> {
  await transaction.deleteFrom('repeatable_answers').where('key', '=', key).execute();
}

export async function deleteForgottenAnswers(executor: Executor, now: number): Promise<void> {
  await executor.deleteFrom('repeatable_answers').where('forgotten_at', '<=', now).execute();
}
