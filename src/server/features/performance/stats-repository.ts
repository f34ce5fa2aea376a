import type { Insertable, RawBuilder, SqlBool } from 'kysely';
import { sql } from 'kysely';
import { inListLength } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { PlaybackSlotSeconds, PlaybackSums, QuadrantOrAll } from './playback-slots.ts';
import type { LiveRows } from './slots.ts';
import type { VideoSlotSeconds, VideoSums } from './video-slots.ts';
import { failureWeight } from './video-slots.ts';

type PlaybackRow = Insertable<Tables['playback_stats']>;

interface StoredPlayback {
  slotSeconds: number;
  startsAt: number;
  quadrant: QuadrantOrAll;
  node: string;
  sums: PlaybackSums;
}

/** Both databases limit the parameters of a statement. */
const playbackRowsTogether = 100;

export interface PlaybackRange extends SlotRange {
  slotSeconds: PlaybackSlotSeconds;
  quadrant: QuadrantOrAll;
  stepMs: number;
}

export interface VideoRange extends SlotRange {
  slotSeconds: VideoSlotSeconds;
}

/** Both databases limit the parameters of a statement. */
const videoRowsTogether = 500;

/** Playback statistics of quadrants and videos. */
export const statsRepository = {
  /** Writes complete rows, which replace earlier ones. */
  async storePlayback(transaction: Executor, stored: readonly StoredPlayback[]): Promise<void> {
    for (let first = 0; first < stored.length; first += playbackRowsTogether)
      await transaction
        .insertInto('playback_stats')
        .values(stored.slice(first, first + playbackRowsTogether).map(toPlaybackRow))
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
  },

  /**
   * Sums a range by steps, each named by its start. `sessions` counts distinct sessions of the
   * step: those active in its first slot and those that began later. The steps come in any order;
   * steps without rows are absent.
   */
  async sumPlayback(executor: Executor, range: PlaybackRange): Promise<{ step: number; sums: PlaybackSums }[]> {
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
  },

  /** Writes complete rows, which replace earlier ones. */
  async storeVideoStats(
    transaction: Executor,
    { slotSeconds, startsAt, node }: VideoSlotKey,
    stored: readonly (readonly [id: string, sums: VideoSums])[],
  ): Promise<void> {
    for (let first = 0; first < stored.length; first += videoRowsTogether)
      await transaction
        .insertInto('video_stats')
        .values(
          stored.slice(first, first + videoRowsTogether).map(([id, { stalls, failures, playedMs }]) => ({
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
  },

  async deleteVideoStats(
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
  },

  /** Ranks the videos that have trouble, the worst first, at most `most` of them. */
  async rankVideos(executor: Executor, range: VideoRange, most: number): Promise<{ id: string; trouble: number }[]> {
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
  },

  /** Sums all rows of some videos, at most `inListLength`; videos without rows are absent. */
  async sumVideos(executor: Executor, range: VideoRange, ids: readonly string[]): Promise<Map<string, VideoSums>> {
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
  },

  /** The filenames of videos, at most `inListLength`; ids without a video are absent. */
  async readFilenames(executor: Executor, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const rows = await executor.selectFrom('videos').select(['id', 'filename']).where('id', 'in', ids).execute();
    return new Map(rows.map(({ id, filename }) => [id, filename]));
  },
};

function toPlaybackRow({ slotSeconds, startsAt, quadrant, node, sums }: StoredPlayback): PlaybackRow {
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

/** The slot and the node of some rows. */
interface VideoSlotKey {
  slotSeconds: VideoSlotSeconds;
  startsAt: number;
  node: string;
}

interface SlotRange {
  slotSeconds: number;
  /** Epoch milliseconds of the first and the last slot. */
  from: number;
  until: number;
  /** The rows to leave out. */
  live: readonly LiveRows[];
}

function isInRange({ slotSeconds, from, until, live }: SlotRange): RawBuilder<SqlBool> {
  const conditions = [
    sql`slot_seconds = ${slotSeconds}`,
    sql`starts_at between ${from} and ${until}`,
    ...live.map(({ node, from: first }) => sql`(node <> ${node} or starts_at < ${first})`),
  ];
  return sql`${sql.join(conditions, sql` and `)}`;
}

/**
 * A sum as a number in both databases: PostgreSQL sums bigint to numeric, which arrives as text.
 */
function sumOf(value: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`cast(sum(${value}) as bigint)`;
}
