import type { PerformanceMetrics } from '#contract/entities/performance.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { Alarm } from '#contract/rules/health.ts';
import { oneDecimal } from '#contract/rules/health.ts';
import type { Figure } from '../figures.tsx';

/** The four figures of a quadrant; those whose threshold is crossed are marked. */
export function figuresOf(
  quadrant: Quadrant,
  metrics: PerformanceMetrics,
  alarms: readonly Pick<Alarm, 'id'>[],
): Figure[] {
  const isCrossed = (threshold: string) => alarms.some(({ id }) => id === `${threshold}:${quadrant}`);
  return [
    {
      label: 'Dropped frames',
      value: `${oneDecimal(metrics.averageDroppedFrameRate)}%`,
      isBad: isCrossed('dropped-frames'),
    },
    { label: 'Buffer level', value: `${oneDecimal(metrics.averageBufferLevel)} s`, isBad: isCrossed('buffer') },
    { label: 'Stall events', value: oneDecimal(metrics.stallEvents), isBad: isCrossed('stalls') },
    { label: 'Quality adjustments', value: oneDecimal(metrics.qualityAdjustments) },
  ];
}
