import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { QuadrantMetrics } from './health.ts';

/** A threshold of §9 that is crossed. The same trouble has the same id at every refresh. */
export interface Alarm {
  id: string;
  type: 'warning' | 'error';
  severity: 'medium' | 'high';
  title: string;
  message: string;
  quadrant?: Quadrant;
}

/** Everything that is wrong now. Nobody fetching (null) is no alarm about bandwidth. */
export function findAlarms(metrics: Partial<Record<Quadrant, QuadrantMetrics | null>>, mbps: number | null): Alarm[] {
  const alarms = mbps !== null && mbps < limits.lowBandwidthMbps ? [lowBandwidth(mbps)] : [];
  for (const quadrant of quadrants) {
    const own = metrics[quadrant];
    if (own) alarms.push(...quadrantAlarms(quadrant, own));
  }
  return alarms;
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
 * A measured figure as it is shown. Cut, not rounded: 0.98 Mbps must not read '1 Mbps, below 1 Mbps'. What a float falls
 * short of its last decimal by is not cut.
 */
export function oneDecimal(value: number): string {
  return String(Math.floor(value * 10 + 1e-6) / 10);
}
