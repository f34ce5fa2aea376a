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
   * Claims something that is due when nobody has claimed or stored it since `before`.
   * @returns whether this caller may do it
   */
  async claim(executor: Executor, name: string, { before, now }: { before: number; now: number }): Promise<boolean> {
    const claimed = await executor
      .insertInto('settings')
      .values({ name, value: 'null', updated_at: now })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ updated_at: now }).where('settings.updated_at', '<=', before),
      )
      .returning('name')
      .execute();
    return claimed.length > 0;
  },

  /** Stores what was learned about something that was claimed. */
  async store(executor: Executor, name: string, value: unknown, now: number): Promise<void> {
    const facts = { value: JSON.stringify(value), updated_at: now };
    await executor.updateTable('settings').set(facts).where('name', '=', name).execute();
  },

  /** The stored value; null if nothing was stored. */
  async find(executor: Executor, name: string): Promise<unknown> {
    const row = await executor.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
    return row === undefined ? null : JSON.parse(row.value);
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
