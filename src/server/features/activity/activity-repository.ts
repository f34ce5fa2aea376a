import type { ActivityKind } from '#contract/entities/site.ts';
import { countAll } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';

/** One line of the log. It has no reference to accounts: names are stored as they were. */
export interface StoredActivity {
  number: number;
  /** Epoch milliseconds. */
  at: number;
  /** The actor's username. Null: the site itself. */
  actor: string | null;
  kind: ActivityKind;
  subject: string | null;
  detail: string | null;
}

/** A line as it is listed. */
export interface ListedActivity extends StoredActivity {
  /** Whether what it did to settings can still be undone. */
  canUndo: boolean;
}

/** Records of who did what. */
export const activityRepository = {
  /** @returns number of the line */
  async insert(executor: Executor, activity: Omit<StoredActivity, 'number'>): Promise<number> {
    const { number } = await executor
      .insertInto('activities')
      .values(activity)
      .returning('number')
      .executeTakeFirstOrThrow();
    return number;
  },

  /** Lists acts, latest first. */
  async list(executor: Executor, { limit, offset }: { limit: number; offset: number }): Promise<ListedActivity[]> {
    const rows = await executor
      .selectFrom('activities')
      .leftJoin('setting_changes', 'setting_changes.activity_number', 'activities.number')
      .selectAll('activities')
      .select(['setting_changes.changed_at', 'setting_changes.undone_at'])
      .orderBy('activities.number', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map(({ changed_at, undone_at, ...row }) => ({
      ...row,
      canUndo: changed_at !== null && undone_at === null,
    }));
  },

  async count(executor: Executor): Promise<number> {
    const { count } = await executor.selectFrom('activities').select(countAll().as('count')).executeTakeFirstOrThrow();
    return Number(count);
  },

  /**
   * Deletes at most `most` acts.
   * @returns their number
   */
  async deleteBefore(executor: Executor, instant: number, most: number): Promise<number> {
    const old = executor.selectFrom('activities').select('number').where('at', '<', instant).limit(most);
    const rows = await executor.deleteFrom('activities').where('number', 'in', old).returning('number').execute();
    return rows.length;
  },

  /** Returns null for an account that no longer exists. */
  async findUsername(executor: Executor, userId: string): Promise<string | null> {
    const row = await executor.selectFrom('users').select('username').where('id', '=', userId).executeTakeFirst();
    return row?.username ?? null;
  },
};
