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

/** The version before wrote it, and may still run. A later one removes it. */
export interface BandwidthStatsTable extends StatsSlot {
  bytes: number;
  viewer_ms: number;
}

export interface NetworkStatsTable extends StatsSlot {
  /** What the network gave each viewer who fetched, in kilobits per second, summed over them. */
  kbps: number;
  /** How many they were, summed over the slots of 10 s. */
  viewers: number;
}

export interface PerformanceAlertsTable {
  /** Names the threshold, as in §8 Alerts. */
  alarm: string;
  raised_at: Instant;
  /** When it was found crossed last: while that goes on it is one alert. */
  seen_at: Instant;
  type: 'warning' | 'error';
  severity: 'medium' | 'high';
  title: string;
  message: string;
  quadrant: Quadrant | null;
  /** Among those that were found with it. */
  place: number;
}

export interface VideoStatsTable extends StatsSlot {
  video_id: string;
  stalls: number;
  failures: number;
  played_ms: number;
}
