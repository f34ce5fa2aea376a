import type { PerformanceAlert } from '#contract/entities/performance.ts';
import type { Alarm } from '#contract/rules/health.ts';
import type { Executor } from '../../database/tables.ts';

interface Finding {
  /** Epoch milliseconds. */
  now: number;
  /** An alarm last seen at or after this time continues as the same alert. */
  goesOnFrom: number;
  /**
   * Milliseconds to which the instant is rounded down, so that two processes that find the same
   * alarm at once store it once.
   */
  stepMs: number;
}

/** Alerts about the site. */
export const alertRepository = {
  /** Stores the alarms that are raised now, each as a new alert or as the continuation of one. */
  async store(transaction: Executor, alarms: readonly Alarm[], { now, goesOnFrom, stepMs }: Finding): Promise<void> {
    for (const [place, { id: alarm, quadrant = null, ...words }] of alarms.entries()) {
      const { numUpdatedRows } = await transaction
        .updateTable('performance_alerts')
        .set({ seen_at: now })
        .where('alarm', '=', alarm)
        .where('seen_at', '>=', goesOnFrom)
        .where('seen_at', '<=', now)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) continue;
      await transaction
        .insertInto('performance_alerts')
        .values({ alarm, raised_at: now - (now % stepMs), seen_at: now, ...words, quadrant, place })
        .onConflict((conflict) => conflict.columns(['raised_at', 'alarm']).doUpdateSet({ seen_at: now }))
        .execute();
    }
  },

  /**
   * Lists the alerts, newest first; alerts of the same instant keep the order in which they were
   * found.
   */
  async list(executor: Executor, from: number, limit: number): Promise<PerformanceAlert[]> {
    const rows = await executor
      .selectFrom('performance_alerts')
      .selectAll()
      .where('raised_at', '>=', from)
      .orderBy('raised_at', 'desc')
      .orderBy('place')
      .limit(limit)
      .execute();
    return rows.map(({ alarm, raised_at, type, severity, title, message, quadrant }) => ({
      id: alarm,
      type,
      severity,
      title,
      message,
      timestamp: new Date(raised_at).toISOString(),
      ...(quadrant !== null && { quadrant }),
    }));
  },

  async deleteOld(transaction: Executor, before: number): Promise<void> {
    await transaction.deleteFrom('performance_alerts').where('raised_at', '<', before).execute();
  },
};
