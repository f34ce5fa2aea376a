import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import type { Executor, Tables } from '../../../database/tables.ts';
import type { PlaybackSlotSeconds } from './playback-slots.ts';
import type { PlaybackSums, QuadrantOrAll } from './playback-sums.ts';
import type { SlotRange } from './slots-repository.ts';
import { isInRange, sumOf } from './slots-repository.ts';

type Row = Insertable<Tables['playback_stats']>;

export interface StoredPlayback {
  slotSeconds: number;
  startsAt: number;
  quadrant: QuadrantOrAll;
  node: string;
  sums: PlaybackSums;
}

/** Both databases limit the parameters of a statement. */
const rowsTogether = 100;

/** Writes rows whole, over what they were before. */
export async function storePlayback(transaction: Executor, stored: readonly StoredPlayback[]): Promise<void> {
  for (let first = 0; first < stored.length; first += rowsTogether)
    await transaction
      .insertInto('playback_stats')
      .values(stored.slice(first, first + rowsTogether).map(toRow))
      .onConflict((conflict) =>
        conflict.columns(['slot_seconds', 'starts_at', 'quadrant', 'node']).doUpdateSet((row) => ({
          samples: row.ref('excluded.samples'),
          sessions: row.ref('excluded.sessions'),
          new_sessions: row.ref('excluded.new_sessions'),
          dropped_frames: row.ref('excluded.dropped_frames'),
          total_frames: row.ref('excluded.total_frames'),
          buffer_ms: row.ref('excluded.buffer_ms'),
          stalls: row.ref('excluded.stalls'),
          quality_adjustments: row.ref('excluded.quality_adjustments'),
        })),
      )
      .execute();
}

function toRow({ slotSeconds, startsAt, quadrant, node, sums }: StoredPlayback): Row {
  return {
    slot_seconds: slotSeconds,
    starts_at: startsAt,
    quadrant,
    node,
    samples: sums.samples,
    sessions: sums.sessions,
    new_sessions: sums.newSessions,
    dropped_frames: sums.droppedFrames,
    total_frames: sums.totalFrames,
    buffer_ms: sums.bufferMs,
    stalls: sums.stalls,
    quality_adjustments: sums.qualityAdjustments,
  };
}

export interface PlaybackRange extends SlotRange {
  slotSeconds: PlaybackSlotSeconds;
  quadrant: QuadrantOrAll;
  stepMs: number;
}

/**
 * Sums of each step of a range, by the instant at which it starts. `sessions` are the distinct ones of the step: those
 * that were on in its first slot, and those that began later. In any order; steps without rows are absent.
 */
export async function sumPlayback(
  executor: Executor,
  range: PlaybackRange,
): Promise<{ step: number; sums: PlaybackSums }[]> {
  const stepMs = sql.lit(range.stepMs);
  const step = sql<number>`starts_at - starts_at % ${stepMs}`;
  const isFirst = sql`starts_at % ${stepMs} = 0 or starts_at = ${sql.lit(range.from)}`;
  const rows = await executor
    .selectFrom('playback_stats')
    .where(isInRange(range))
    .where('quadrant', '=', range.quadrant)
    .select([
      step.as('step'),
      sumOf(sql`samples`).as('samples'),
      sumOf(sql`case when ${isFirst} then sessions else new_sessions end`).as('sessions'),
      sumOf(sql`new_sessions`).as('newSessions'),
      sumOf(sql`dropped_frames`).as('droppedFrames'),
      sumOf(sql`total_frames`).as('totalFrames'),
      sumOf(sql`buffer_ms`).as('bufferMs'),
      sumOf(sql`stalls`).as('stalls'),
      sumOf(sql`quality_adjustments`).as('qualityAdjustments'),
    ])
    .groupBy(step)
    .execute();
  return rows.map(({ step: startsAt, ...sums }) => ({ step: startsAt, sums }));
}
