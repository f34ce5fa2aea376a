import { sql } from 'kysely';
import { countAll } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';

export interface RootCount {
  rootNumber: number;
  /** Videos that exist, or existed while the root itself did. */
  videos: number;
  available: number;
}

/** Name of the row in `settings` that says that one device in so many is measured. */
const measuredName = 'measured_one_in';

/** The site's settings, and counts of its library. */
export const siteRepository = {
  /** One device in so many is measured. */
  async readOneIn(executor: Executor): Promise<number> {
    const oneIn = await siteRepository.find(executor, measuredName);
    return oneIn === null ? 1 : Number(oneIn);
  },

  /**
   * Replaces `oneIn`, unless it was replaced after `until`.
   * @returns whether this caller did it
   */
  async replaceOneIn(
    executor: Executor,
    oneIn: number,
    { until, now }: { until: number; now: number },
  ): Promise<boolean> {
    const facts = { value: JSON.stringify(oneIn), updated_at: now };
    const replaced = await executor
      .insertInto('settings')
      .values({ name: measuredName, ...facts })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(facts).where('settings.updated_at', '<=', until))
      .returning('name')
      .execute();
    return replaced.length > 0;
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
