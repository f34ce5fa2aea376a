import { limits } from '#contract/limits.ts';

/** What one quadrant lived through in the window (§3 Performance). */
export interface QuadrantMetrics {
  /** Percent, 0 to 100. */
  averageDroppedFrameRate: number;
  /** Seconds. */
  averageBufferLevel: number;
  /** The mean per viewing session in the window. */
  stallEvents: number;
}

export type HealthStatus = 'excellent' | 'good' | 'fair' | 'poor';

/** 0 to 100 (§9). */
export function quadrantScore(metrics: QuadrantMetrics): number {
  const missingBuffer = Math.max(0, limits.lowBufferSeconds - metrics.averageBufferLevel);
  const lost =
    metrics.averageDroppedFrameRate * limits.healthPerDroppedPercent +
    missingBuffer * limits.healthPerMissingBufferSecond +
    metrics.stallEvents * limits.healthPerStall;
  return Math.max(0, limits.healthScoreMax - lost);
}

/** The share of 10 Mbps in percent, 100 at most (§9). */
export function bandwidthScore(mbps: number): number {
  return Math.min(mbps * limits.healthPointsPerMbps, limits.healthScoreMax);
}

/** The mean of the quadrants that have data; null when none has. */
function quadrantsScore(quadrants: readonly (QuadrantMetrics | null)[]): number | null {
  const scores = quadrants.filter((metrics) => metrics !== null).map(quadrantScore);
  if (scores.length === 0) return null;
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/**
 * System Health, 0 to 100: 70 % quadrants, 30 % bandwidth. Without a bandwidth (nobody has fetched anything for minutes) the quadrants stand
 * alone; without any quadrant there is no score (§9 Health).
 */
export function systemScore(quadrants: readonly (QuadrantMetrics | null)[], mbps: number | null): number | null {
  const ofQuadrants = quadrantsScore(quadrants);
  if (ofQuadrants === null || mbps === null) return ofQuadrants;
  return ofQuadrants * limits.healthQuadrantsWeight + bandwidthScore(mbps) * limits.healthBandwidthWeight;
}

export function healthStatus(score: number): HealthStatus {
  if (score >= limits.healthExcellentFrom) return 'excellent';
  if (score >= limits.healthGoodFrom) return 'good';
  return score >= limits.healthFairFrom ? 'fair' : 'poor';
}
