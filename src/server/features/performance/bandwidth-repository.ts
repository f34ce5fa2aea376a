import { sql } from 'kysely';
import type { Executor } from '../../database/tables.ts';
import type { SentSlot } from '../../http/connections/sent-history.ts';

/** The measurement of one process for one slot. */
export interface StoredSlot extends SentSlot {
  slotSeconds: number;
  node: string;
}

/**
 * Slots of one length that start within a range, of all processes except `node`. Epoch
 * milliseconds, both ends included.
 */
interface SlotRange {
  slotSeconds: number;
  from: number;
  until: number;
  node: string;
}

/** Bandwidth in slots of time. */
export const bandwidthRepository = {
  /** Adds the values to those stored for the same slots. */
  async add(transaction: Executor, slots: readonly StoredSlot[]): Promise<void> {
    await transaction
      .insertInto('network_stats')
      .values(
        slots.map(({ slotSeconds, startsAt, node, kbps, viewers }) => ({
          slot_seconds: slotSeconds,
          starts_at: startsAt,
          node,
          kbps,
          viewers,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['slot_seconds', 'starts_at', 'node']).doUpdateSet((row) => ({
          kbps: sql`${row.ref('network_stats.kbps')} + ${row.ref('excluded.kbps')}`,
          viewers: sql`${row.ref('network_stats.viewers')} + ${row.ref('excluded.viewers')}`,
        })),
      )
      .execute();
  },

  /** Sums the measurements of other processes in steps of `stepMs` milliseconds. */
  async sum(
    executor: Executor,
    { slotSeconds, stepMs, from, until, node }: SlotRange & { stepMs: number },
  ): Promise<SentSlot[]> {
    const step = sql<number>`starts_at - starts_at % ${sql.lit(stepMs)}`;
    const rows = await executor
      .selectFrom('network_stats')
      .select((row) => [
        step.as('startsAt'),
        row.fn.sum<number | string>('kbps').as('kbps'),
        row.fn.sum<number | string>('viewers').as('viewers'),
      ])
      .where('slot_seconds', '=', slotSeconds)
      .where('starts_at', '>=', from)
      .where('starts_at', '<=', until)
      .where('node', '!=', node)
      .groupBy(step)
      .execute();
    return rows.map(({ startsAt, kbps, viewers }) => ({
      startsAt,
      kbps: Number(kbps),
      viewers: Number(viewers),
    }));
  },

  /** Lists the newest slot of each other process. */
  async listNewest(executor: Executor, { slotSeconds, from, until, node }: SlotRange): Promise<SentSlot[]> {
    const rows = await executor
      .selectFrom('network_stats')
      .select(['node', 'starts_at', 'kbps', 'viewers'])
      .where('slot_seconds', '=', slotSeconds)
      .where('starts_at', '>=', from)
      .where('starts_at', '<=', until)
      .where('node', '!=', node)
      .orderBy('starts_at')
      .execute();
    const newest = new Map(rows.map((row) => [row.node, row]));
    return [...newest.values()].map(({ starts_at: startsAt, kbps, viewers }) => ({ startsAt, kbps, viewers }));
  },
};
