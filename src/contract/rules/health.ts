import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';

/** The measurements of one quadrant in the window (§3 Performance). */
interface QuadrantMetrics {
  /** Percent, 0 to 100. */
  averageDroppedFrameRate: number;
  /** Seconds. */
  averageBufferLevel: number;
  /** The mean per viewing session in the window. */
  stallEvents: number;
}

export type HealthStatus = 'excellent' | 'good' | 'fair' | 'poor';

/** A score from 0 to 100 (§9). */
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
 * System Health, 0 to 100: 70 % quadrants, 30 % bandwidth. When no bandwidth was measured for
 * minutes, the quadrants count alone; without any quadrant there is no score (§9 Health).
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

/** A crossed threshold of §9. The same problem has the same id at every refresh. */
export interface Alarm {
  id: string;
  type: 'warning' | 'error';
  severity: 'medium' | 'high';
  title: string;
  message: string;
  quadrant?: Quadrant;
}

/** All present alarms. No measured bandwidth (null) raises none. */
export function findAlarms(metrics: Partial<Record<Quadrant, QuadrantMetrics | null>>, mbps: number | null): Alarm[] {
  const alarms = mbps !== null && mbps < limits.lowBandwidthMbps ? [lowBandwidth(mbps)] : [];
  for (const quadrant of quadrants) {
    const own = metrics[quadrant];
    if (own) alarms.push(...quadrantAlarms(quadrant, own));
  }
  return alarms;
}

/**
 * The alarm of a venue that should report and does not.
 * @param lastSeen epoch milliseconds
 */
export function silentVenue(id: string, name: string, lastSeen: number): Alarm {
  const time = new Date(lastSeen).toISOString().slice(0, 16).replace('T', ' ');
  return {
    id: `venue:${id}`,
    ...high,
    title: 'Venue is silent',
    message: `Venue ${name} was last seen ${time} UTC.`,
  };
}

function quadrantAlarms(quadrant: Quadrant, metrics: QuadrantMetrics): Alarm[] {
  const alarms: Alarm[] = [];
  if (metrics.averageDroppedFrameRate > limits.droppedFramesPercent)
    alarms.push(droppedFrames(quadrant, metrics.averageDroppedFrameRate));
  if (metrics.averageBufferLevel < limits.lowBufferSeconds)
    alarms.push(lowBuffer(quadrant, metrics.averageBufferLevel));
  if (metrics.stallEvents > limits.stallEvents) alarms.push(frequentStalls(quadrant, metrics.stallEvents));
  return alarms;
}

function lowBandwidth(mbps: number): Alarm {
  return {
    id: 'bandwidth',
    ...medium,
    title: 'Low bandwidth',
    message: `${oneDecimal(mbps)} Mbps, below ${limits.lowBandwidthMbps} Mbps`,
  };
}

function droppedFrames(quadrant: Quadrant, percent: number): Alarm {
  return {
    id: `dropped-frames:${quadrant}`,
    ...high,
    title: 'High dropped frame rate',
    message: `${oneDecimal(percent)}% of frames dropped, above ${limits.droppedFramesPercent}%`,
    quadrant,
  };
}

function lowBuffer(quadrant: Quadrant, seconds: number): Alarm {
  return {
    id: `buffer:${quadrant}`,
    ...medium,
    title: 'Low buffer',
    message: `${oneDecimal(seconds)} s buffered, below ${limits.lowBufferSeconds} s`,
    quadrant,
  };
}

function frequentStalls(quadrant: Quadrant, events: number): Alarm {
  return {
    id: `stalls:${quadrant}`,
    ...high,
    title: 'Frequent stalls',
    message: `${oneDecimal(events)} stall events per viewing session, above ${limits.stallEvents}`,
    quadrant,
  };
}

/** High severity is an error, medium a warning (§9 Health). */
const high = { severity: 'high', type: 'error' } as const;
const medium = { severity: 'medium', type: 'warning' } as const;

/**
 * A measurement as it is shown. It is cut, not rounded: 0.98 Mbps must not read '1 Mbps, below 1
 * Mbps'. A float just below its last decimal is not cut by a tenth.
 */
export function oneDecimal(value: number): string {
  return String(Math.floor(value * 10 + 1e-6) / 10);
}

/** The time windows that the dashboard can show (§2 Performance Dashboard). */
export const timeWindows = ['1m', '5m', '15m', '1h', '6h', '24h'] as const;

export type TimeWindow = (typeof timeWindows)[number];

export function minutesOf(window: TimeWindow): number {
  const count = Number.parseInt(window, 10);
  return window.endsWith('h') ? count * 60 : count;
}
