import type { Quadrant } from '#contract/quadrants.ts';
import type { Flag, Instant } from './column-types.ts';

/** The counts of one process in one slot of time. Each write replaces the whole row. */
interface StatsSlot {
  /** 10 or 60; for videos 60 or 3,600. */
  slot_seconds: number;
  /** Start of the slot, a multiple of its length. */
  starts_at: Instant;
  /** A process, with a random name chosen at its start. */
  node: string;
}

interface PlaybackStatsTable extends StatsSlot {
  /** `all` holds samples of every quadrant, and sessions regardless of quadrants. */
  quadrant: Quadrant | 'all';
  /** Seconds that one quadrant of one viewer was measured. */
  samples: number;
  /** Viewing sessions that were active in this slot. */
  sessions: number;
  /** Viewing sessions that began in this slot. */
  new_sessions: number;
  dropped_frames: number;
  total_frames: number;
  /** Sum of the buffered milliseconds of all samples. */
  buffer_ms: number;
  stalls: number;
  quality_adjustments: number;
}

/** Written by the previous version, which may still run. A later version removes it. */
interface BandwidthStatsTable extends StatsSlot {
  bytes: number;
  viewer_ms: number;
}

interface NetworkStatsTable extends StatsSlot {
  /** Sum of the measured network speeds of all viewers, in kilobits per second. */
  kbps: number;
  /** The number of those viewers, summed over the slots of 10 s. */
  viewers: number;
}

interface PerformanceAlertsTable {
  /** The name of the threshold, as in §8 Alerts. */
  alarm: string;
  raised_at: Instant;
  /** When it was last found exceeded; it stays one alert as long as that continues. */
  seen_at: Instant;
  type: 'warning' | 'error';
  severity: 'medium' | 'high';
  title: string;
  message: string;
  quadrant: Quadrant | null;
  /** The order among the alerts that were found at the same time. */
  place: number;
}

interface VideoStatsTable extends StatsSlot {
  video_id: string;
  stalls: number;
  failures: number;
  played_ms: number;
}

/** Screens in venue mode, as their latest reports describe them. */
interface VenuesTable {
  id: string;
  name: string;
  playing: number;
  version: string;
  is_signed_out: Flag;
  /** The first report since it was last silent. */
  since: Instant;
  last_seen: Instant;
  /** When it closes, and when it opens after that; null when it is always open. */
  closes_at: Instant | null;
  opens_at: Instant | null;
}

export interface PerformanceTables {
  playback_stats: PlaybackStatsTable;
  bandwidth_stats: BandwidthStatsTable;
  network_stats: NetworkStatsTable;
  performance_alerts: PerformanceAlertsTable;
  video_stats: VideoStatsTable;
  venues: VenuesTable;
}
