import type { RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Executor } from '../../../database/tables.ts';
import type { LiveRows } from './open-slots.ts';

/** Tables of slots: their keys begin with `slot_seconds` and `starts_at`, and each row has a `node`. */
type SlotTable = 'playback_stats' | 'network_stats' | 'video_stats';

export interface SlotRange {
  slotSeconds: number;
  /** Epoch milliseconds of the first and the last slot. */
  from: number;
  until: number;
  /** Left out. */
  live: readonly LiveRows[];
}

/** So that deleting never holds up those who wait to write. */
const slotsTogether = 20;

export function isInRange({ slotSeconds, from, until, live }: SlotRange): RawBuilder<SqlBool> {
  const conditions = [
    sql`slot_seconds = ${slotSeconds}`,
    sql`starts_at between ${from} and ${until}`,
    ...live.map(({ node, from: first }) => sql`(node <> ${node} or starts_at < ${first})`),
  ];
  return sql`${sql.join(conditions, sql` and `)}`;
}

/** As a number on both: PostgreSQL's sum of a bigint is a numeric, which comes as text. */
export function sumOf(value: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`cast(sum(${value}) as bigint)`;
}

/** Deletes the oldest slots that start before an instant, a few of them. */
export async function deleteOldSlots(
  transaction: Executor,
  table: SlotTable,
  slotSeconds: number,
  before: number,
): Promise<void> {
  const { oldest } = await transaction
    .selectFrom(table)
    .where('slot_seconds', '=', slotSeconds)
    .select(sql<number | null>`min(starts_at)`.as('oldest'))
    .executeTakeFirstOrThrow();
  if (oldest === null || oldest >= before) return;
  await transaction
    .deleteFrom(table)
    .where('slot_seconds', '=', slotSeconds)
    .where('starts_at', '<', Math.min(before, oldest + slotsTogether * slotSeconds * 1_000))
    .execute();
}
