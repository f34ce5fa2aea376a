import { sql } from 'kysely';
import { limits } from '#contract/limits.ts';
import { countAll } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';

export interface RootCount {
  rootNumber: number;
  /** Videos that exist, or existed while the root itself did. */
  videos: number;
  available: number;
}

/** The site's settings, and counts of its library. */
export const siteRepository = {
  /** Seconds that a video plays before the next one. */
  async readSwitchInterval(executor: Executor): Promise<number> {
    const row = await executor
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'switch_interval_seconds')
      .executeTakeFirst();
    return row === undefined ? limits.switchIntervalSeconds : Number(row.value);
  },

  async writeSwitchInterval(executor: Executor, seconds: number, now: number): Promise<void> {
    const facts = { value: JSON.stringify(seconds), updated_at: now };
    await executor
      .insertInto('settings')
      .values({ name: 'switch_interval_seconds', ...facts })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
      .execute();
  },

  /**
   * Writes without changing anything.
   * @throws as any other write would
   */
  async tryWrite(executor: Executor): Promise<void> {
    await executor.deleteFrom('settings').where('name', '=', '').execute();
  },

  /**
   * Counts the videos numbered above `afterNumber` up to `upToNumber`. Roots without any are left
   * out.
   */
  async countByRoot(executor: Executor, afterNumber: number, upToNumber: number): Promise<RootCount[]> {
    const rows = await executor
      .selectFrom('videos')
      .select(['root_number', countAll().as('videos'), sql<number>`sum(available)`.as('available')])
      .where('number', '>', afterNumber)
      .where('number', '<=', upToNumber)
      .where('missing_since', 'is', null)
      .groupBy('root_number')
      .execute();
    return rows.map(({ root_number, videos, available }) => ({ rootNumber: root_number, videos, available }));
  },
};
