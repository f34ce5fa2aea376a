import type { Executor } from '../database/tables.ts';

export interface Attempts {
  count: number;
  /** Epoch milliseconds, like `forgottenAt`. */
  blockedUntil: number;
  forgottenAt: number;
}

/** Counted attempts. */
export const attemptRepository = {
  /** Reads the counter of a key and locks it until the transaction ends. */
  async hold(transaction: Executor, key: string): Promise<Attempts> {
    const row = await transaction
      .insertInto('attempts')
      .values({ key, count: 0, blocked_until: 0, forgotten_at: 0 })
      .onConflict((conflict) => conflict.column('key').doUpdateSet((row) => ({ count: row.ref('attempts.count') })))
      .returning(['count', 'blocked_until', 'forgotten_at'])
      .executeTakeFirstOrThrow();
    return { count: row.count, blockedUntil: row.blocked_until, forgottenAt: row.forgotten_at };
  },

  async read(executor: Executor, key: string): Promise<Attempts> {
    const row = await executor
      .selectFrom('attempts')
      .select(['count', 'blocked_until', 'forgotten_at'])
      .where('key', '=', key)
      .executeTakeFirst();
    return { count: row?.count ?? 0, blockedUntil: row?.blocked_until ?? 0, forgottenAt: row?.forgotten_at ?? 0 };
  },

  async write(transaction: Executor, key: string, { count, blockedUntil, forgottenAt }: Attempts): Promise<void> {
    await transaction
      .updateTable('attempts')
      .set({ count, blocked_until: blockedUntil, forgotten_at: forgottenAt })
      .where('key', '=', key)
      .execute();
  },

  async delete(executor: Executor, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await executor.deleteFrom('attempts').where('key', 'in', keys).execute();
  },

  /**
   * Deletes at most `most` expired counters.
   * @returns how many were deleted
   */
  async deleteForgotten(executor: Executor, now: number, most: number): Promise<number> {
    const forgotten = executor.selectFrom('attempts').select('key').where('forgotten_at', '<=', now).limit(most);
    const rows = await executor.deleteFrom('attempts').where('key', 'in', forgotten).returning('key').execute();
    return rows.length;
  },
};
