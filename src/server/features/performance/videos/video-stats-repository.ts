import { sql } from 'kysely';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import type { SlotRange } from '../stats/slots-repository.ts';
import { isInRange, sumOf } from '../stats/slots-repository.ts';
import type { VideoSlotSeconds } from './video-slots.ts';
import type { VideoSums } from './video-sums.ts';
import { failureWeight } from './video-sums.ts';

/** Whose rows, and of which slot. */
export interface VideoSlotKey {
  slotSeconds: VideoSlotSeconds;
  startsAt: number;
  node: string;
}

export interface VideoRange extends SlotRange {
  slotSeconds: VideoSlotSeconds;
}

/** Both databases limit the parameters of a statement. */
const rowsTogether = 500;

/** Writes rows whole, over what they were before. */
export async function storeVideoStats(
  transaction: Executor,
  { slotSeconds, startsAt, node }: VideoSlotKey,
  stored: readonly (readonly [id: string, sums: VideoSums])[],
): Promise<void> {
  for (let first = 0; first < stored.length; first += rowsTogether)
    await transaction
      .insertInto('video_stats')
      .values(
        stored.slice(first, first + rowsTogether).map(([id, { stalls, failures, playedMs }]) => ({
          slot_seconds: slotSeconds,
          starts_at: startsAt,
          video_id: id,
          node,
          stalls,
          failures,
          played_ms: playedMs,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['slot_seconds', 'starts_at', 'video_id', 'node']).doUpdateSet((row) => ({
          stalls: row.ref('excluded.stalls'),
          failures: row.ref('excluded.failures'),
          played_ms: row.ref('excluded.played_ms'),
        })),
      )
      .execute();
}

export async function deleteVideoStats(
  transaction: Executor,
  { slotSeconds, startsAt, node }: VideoSlotKey,
  ids: readonly string[],
): Promise<void> {
  for (let first = 0; first < ids.length; first += inListLength)
    await transaction
      .deleteFrom('video_stats')
      .where('slot_seconds', '=', slotSeconds)
      .where('starts_at', '=', startsAt)
      .where('video_id', 'in', ids.slice(first, first + inListLength))
      .where('node', '=', node)
      .execute();
}

/** Those with trouble and how much they have, the worst first, `most` at most. */
export async function rankVideos(
  executor: Executor,
  range: VideoRange,
  most: number,
): Promise<{ id: string; trouble: number }[]> {
  const trouble = sumOf(sql`stalls + failures * ${sql.lit(failureWeight)}`);
  return executor
    .selectFrom('video_stats')
    .where(isInRange(range))
    .where((row) => row.or([row('stalls', '>', 0), row('failures', '>', 0)]))
    .select(['video_id as id', trouble.as('trouble')])
    .groupBy('video_id')
    .orderBy('trouble', 'desc')
    .orderBy('video_id')
    .limit(most)
    .execute();
}

/** All that was stored of some videos, `inListLength` at most; those without rows are absent. */
export async function sumVideos(
  executor: Executor,
  range: VideoRange,
  ids: readonly string[],
): Promise<Map<string, VideoSums>> {
  if (ids.length === 0) return new Map();
  const rows = await executor
    .selectFrom('video_stats')
    .where(isInRange(range))
    .where('video_id', 'in', ids)
    .select([
      'video_id as id',
      sumOf(sql`stalls`).as('stalls'),
      sumOf(sql`failures`).as('failures'),
      sumOf(sql`played_ms`).as('playedMs'),
    ])
    .groupBy('video_id')
    .execute();
  return new Map(rows.map(({ id, ...sums }) => [id, sums]));
}

/** What videos are called, `inListLength` at most; ids that no video has are absent. */
export async function readFilenames(executor: Executor, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await executor.selectFrom('videos').select(['id', 'filename']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, filename }) => [id, filename]));
}
