import { sql } from 'kysely';
import type { Executor } from '../../../database/tables.ts';

/** Tables of slots, all with `slot_seconds` and `starts_at` at the head of their keys. */
export type SlotTable = 'playback_stats' | 'bandwidth_stats' | 'video_stats';

/** So that no turn holds up those who wait to write. */
const slotsTogether = 20;

/** Deletes the oldest slots that start before an instant, `slotsTogether` at most. */
export async function deleteOldSlots(
  transaction: Executor,
  table: SlotTable,
  slotSeconds: number,
  before: number,
): Promise<void> {
  const slots = transaction.selectFrom(table).where('slot_seconds', '=', slotSeconds);
  const { oldest } = await slots.select(sql<number | null>`min(starts_at)`.as('oldest')).executeTakeFirstOrThrow();
  if (oldest === null || oldest >= before) return;
  await transaction
    .deleteFrom(table)
    .where('slot_seconds', '=', slotSeconds)
    .where('starts_at', '<', Math.min(before, oldest + slotsTogether * slotSeconds * 1_000))
    .execute();
}
