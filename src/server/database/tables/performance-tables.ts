import type { Quadrant } from '#contract/quadrants.ts';
import type { Instant } from './column-types.ts';

/** What one process counted in one slot of time. It writes its rows whole, again and again while they change. */
interface StatsSlot {
  /** 10 or 60; for videos 60 or 3,600. */
  slot_seconds: number;
  /** A multiple of it. */
  starts_at: Instant;
  /** One process, named at random when it starts. */
  node: string;
}

export interface PlaybackStatsTable extends StatsSlot {
  /** `all` has samples of every quadrant, and sessions whatever their quadrants. */
  quadrant: Quadrant | 'all';
  /** Seconds of one quadrant of one viewer. */
  samples: number;
  /** Viewing sessions that were on in this slot. */
  sessions: number;
  /** Those of them that began in it. */
  new_sessions: number;
  dropped_frames: number;
  total_frames: number;
  /** Summed over the samples. */
  buffer_ms: number;
  stalls: number;
  quality_adjustments: number;
}

export interface BandwidthStatsTable extends StatsSlot {
  /** Of videos, given to the system to be sent. */
  bytes: number;
  /** How long viewers were being sent some, summed over them. */
  viewer_ms: number;
}

export interface VideoStatsTable extends StatsSlot {
  video_id: string;
  stalls: number;
  failures: number;
  played_ms: number;
}
