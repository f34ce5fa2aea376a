import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { now } from '#device/timers.ts';
import type { QualitySample } from './quality-sampler.ts';

const maxAgeMs = limits.performanceUnsentMinutes * 60_000;
/** The seconds of four quadrants; it limits memory when the device's clock is set back. */
const maxSamples = limits.performanceUnsentMinutes * 60 * quadrants.length;

/** Consecutive seconds of one quadrant with one video. */
export interface SampleSum extends QualitySample {
  seconds: number;
}

/**
 * Sums waiting to be sent, oldest first, in memory only. Sums that are too old are dropped. One that
 * was taken does not change any more, so that the server recognizes it when it is sent again.
 */
export class UnsentSamples {
  private samples: SampleSum[] = [];
  /** The sums that the next second may be added to. */
  private open: Partial<Record<Quadrant, SampleSum>> = {};
  /** Whether any second crossed a threshold since samples were taken. */
  areTroubled = false;

  get isEmpty(): boolean {
    return this.samples.length === 0;
  }

  get hasFullCall(): boolean {
    return this.samples.length >= limits.performanceSamplesPerCall;
  }

  add(samples: readonly QualitySample[]): void {
    for (const sample of samples) {
      const open = this.open[sample.quadrant];
      const goesOn = open && mayJoin(open, sample);
      const sum = goesOn ? open : { ...sample, seconds: 0 };
      addTo(sum, sample);
      this.open[sample.quadrant] = sum;
      if (!goesOn) this.samples.push(sum);
    }
    this.areTroubled ||= samples.some(isTroubled);
    this.dropOldest();
  }

  /** Removes and returns the samples for one call. */
  take(): SampleSum[] {
    this.open = {};
    this.areTroubled = false;
    this.dropOldest();
    return this.samples.splice(0, limits.performanceSamplesPerCall);
  }

  /** Returns samples whose call failed. */
  putBack(samples: readonly SampleSum[]): void {
    this.samples.unshift(...samples);
    this.dropOldest();
  }

  private dropOldest(): void {
    this.samples = this.samples.slice(-maxSamples).filter(({ at }) => now() - at <= maxAgeMs);
  }
}

/** Seconds without frames are summed apart, because they do not count as played. */
function mayJoin(sum: SampleSum, { at, videoId, totalFrames }: QualitySample): boolean {
  const isNext = at >= sum.at && at - sum.at < 2_000 && sum.seconds < limits.performanceSumSeconds;
  return isNext && videoId === sum.videoId && totalFrames > 0 === sum.totalFrames > 0;
}

const counts = ['droppedFrames', 'totalFrames', 'stalls', 'qualityAdjustments', 'failures'] as const;

/** Adds a second to a sum; one of no seconds becomes that second. */
function addTo(sum: SampleSum, sample: QualitySample): void {
  const before = { ...sum };
  Object.assign(sum, sample, { seconds: before.seconds + 1 });
  if (before.seconds === 0) return;
  for (const count of counts) sum[count] += before[count];
  sum.bufferLevelSeconds += ((before.bufferLevelSeconds - sum.bufferLevelSeconds) * before.seconds) / sum.seconds;
}

/** Whether any threshold of the dashboard is crossed in this second. */
function isTroubled({ stalls, failures, ...sample }: QualitySample): boolean {
  const droppedPercent = (sample.droppedFrames / sample.totalFrames) * 100;
  return (
    stalls > 0 ||
    failures > 0 ||
    droppedPercent > limits.droppedFramesPercent ||
    sample.bufferLevelSeconds < limits.lowBufferSeconds
  );
}
