import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { PlaybackMetrics } from './playback-metrics.ts';

export type Counts = Pick<
  PlaybackMetrics,
  'droppedFrames' | 'totalFrames' | 'stalls' | 'qualityAdjustments' | 'failures'
>;

/** One second of one quadrant. Counts are those since its sample before. */
export interface QualitySample extends Counts, Pick<PlaybackMetrics, 'bufferedAheadSeconds' | 'width' | 'height'> {
  quadrant: Quadrant;
  /** Epoch milliseconds at its end. */
  at: number;
  /** What was on screen, or what failed in this second. */
  videoId: string | undefined;
  /** `bufferedAheadSeconds`, as alerts are to count it. */
  bufferLevelSeconds: number;
  /** Of the whole page in this second; null when no transfer ended in it. */
  bandwidthMbps: number | null;
  /** Of what plays: bytes of its file over its length. Null where that is not known. */
  kbps?: number | null;
}

/** Containers say of their length what their last frame does not quite reach. */
const endToleranceSeconds = 0.5;

/**
 * What has nothing more to fetch lacks no data, however little of it is left: neither a video of which all the rest is
 * there, nor one that has stopped.
 */
export function bufferLevelOf(metrics: PlaybackMetrics): number {
  const { isPlaying, bufferedAheadSeconds: ahead, remainingSeconds } = metrics;
  const needsNone = !isPlaying || ahead >= remainingSeconds - endToleranceSeconds;
  return needsNone ? Math.max(ahead, limits.lowBufferSeconds) : ahead;
}

/** Whether any threshold of the dashboard is crossed in this second. */
export function isTroubled({ stalls, failures, ...sample }: QualitySample): boolean {
  const droppedPercent = (sample.droppedFrames / sample.totalFrames) * 100;
  return (
    stalls > 0 ||
    failures > 0 ||
    droppedPercent > limits.droppedFramesPercent ||
    sample.bufferLevelSeconds < limits.lowBufferSeconds
  );
}
