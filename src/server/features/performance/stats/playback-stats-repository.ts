import type { Insertable, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Executor, Tables } from '../../../database/tables.ts';
import type { LiveRows } from './open-slots.ts';
import type { PlaybackSlotSeconds } from './playback-slots.ts';
import type { PlaybackSums, QuadrantOrAll } from './playback-sums.ts';

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

export interface PlaybackRange {
  quadrant: QuadrantOrAll;
  slotSeconds: PlaybackSlotSeconds;
  /** Epoch milliseconds of the first and the last slot. */
  from: number;
  until: number;
  stepMs: number;
  /** Left out. */
  live: readonly LiveRows[];
}

/**
 * Sums of each step of a range, by the instant at which it starts. `sessions` are the distinct ones of the step: those
 * that were on in its first slot, and those that began later. In any order; steps without rows are absent.
 */
export async function sumPlayback(
  executor: Executor,
  { quadrant, slotSeconds, from, until, stepMs, live }: PlaybackRange,
): Promise<{ step: number; sums: PlaybackSums }[]> {
  const step = sql<number>`starts_at - starts_at % ${sql.lit(stepMs)}`;
  const isFirst = sql`starts_at % ${sql.lit(stepMs)} = 0 or starts_at = ${sql.lit(from)}`;
  const rows = await live
    .reduce(
      (query, { node, from: first }) =>
        query.where((row) => row.or([row('node', '<>', node), row('starts_at', '<', first)])),
      executor.selectFrom('playback_stats'),
    )
    .where('slot_seconds', '=', slotSeconds)
    .where('starts_at', '>=', from)
    .where('starts_at', '<=', until)
    .where('quadrant', '=', quadrant)
    .select([
      step.as('step'),
      total(sql`samples`).as('samples'),
      total(sql`case when ${isFirst} then sessions else new_sessions end`).as('sessions'),
      total(sql`new_sessions`).as('newSessions'),
      total(sql`dropped_frames`).as('droppedFrames'),
      total(sql`total_frames`).as('totalFrames'),
      total(sql`buffer_ms`).as('bufferMs'),
      total(sql`stalls`).as('stalls'),
      total(sql`quality_adjustments`).as('qualityAdjustments'),
    ])
    .groupBy(step)
    .execute();
  return rows.map(({ step: startsAt, ...sums }) => ({ step: startsAt, sums }));
}

/** As a number on both: PostgreSQL's sum of a bigint is a numeric, which comes as text. */
function total(value: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`cast(sum(${value}) as bigint)`;
}
