import type { Executor } from '../../database/tables.ts';

export interface RepeatableAnswer {
  bodyHash: string;
  /** Null while the first call runs. */
  status: number | null;
  /** Null while the first call runs, and for an answer that was too long to be stored. */
  answer: string | null;
}

/** A key and its owner. Instants are epoch milliseconds. */
export interface AnswerClaim {
  key: string;
  owner: string;
  bodyHash: string;
  forgottenAt: number;
}

/** Answers of writes that a client may repeat. */
export const repeatableAnswerRepository = {
  /** Finds the first call with this key; null if there was none. */
  async find(executor: Executor, key: string, now: number): Promise<RepeatableAnswer | null> {
    const row = await executor
      .selectFrom('repeatable_answers')
      .select(['body_hash', 'status', 'answer'])
      .where('key', '=', key)
      .where('forgotten_at', '>', now)
      .executeTakeFirst();
    return row === undefined ? null : { bodyHash: row.body_hash, status: row.status, answer: row.answer };
  },

  /** @returns whether this is the first call with this key */
  async claim(
    transaction: Executor,
    { key, owner, bodyHash, forgottenAt }: AnswerClaim,
    now: number,
  ): Promise<boolean> {
    await transaction
      .deleteFrom('repeatable_answers')
      .where('key', '=', key)
      .where('forgotten_at', '<=', now)
      .execute();
    const claimed = await transaction
      .insertInto('repeatable_answers')
      .values({ key, owner, body_hash: bodyHash, status: null, answer: null, forgotten_at: forgottenAt })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .returning('key')
      .executeTakeFirst();
    return claimed !== undefined;
  },

  async store(
    transaction: Executor,
    key: string,
    status: number,
    answer: string | null,
    forgottenAt: number,
  ): Promise<void> {
    await transaction
      .updateTable('repeatable_answers')
      .set({ status, answer, forgotten_at: forgottenAt })
      .where('key', '=', key)
      .execute();
  },

  /** Keeps the newest `most` answers of an owner; `key` is always one of them. */
  async deleteOldest(
    transaction: Executor,
    { key, owner }: Pick<AnswerClaim, 'key' | 'owner'>,
    most: number,
  ): Promise<void> {
    const beyond = transaction
      .selectFrom('repeatable_answers')
      .select('key')
      .where('owner', '=', owner)
      .where('status', 'is not', null)
      .where('key', '<>', key)
      .orderBy('forgotten_at', 'desc')
      .limit(most)
      .offset(most - 1);
    await transaction.deleteFrom('repeatable_answers').where('key', 'in', beyond).execute();
  },

  async drop(transaction: Executor, key: string): Promise<void> {
    await transaction.deleteFrom('repeatable_answers').where('key', '=', key).execute();
  },

  /**
   * Deletes at most `most` expired answers.
   * @returns how many were deleted
   */
  async deleteForgotten(executor: Executor, now: number, most: number): Promise<number> {
    const forgotten = executor
      .selectFrom('repeatable_answers')
      .select('key')
      .where('forgotten_at', '<=', now)
      .limit(most);
    const rows = await executor
      .deleteFrom('repeatable_answers')
      .where('key', 'in', forgotten)
      .returning('key')
      .execute();
    return rows.length;
  },
};
