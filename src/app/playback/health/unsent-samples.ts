import { now } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { QualitySample } from './quality-sample.ts';
import { isTroubled } from './quality-sample.ts';

const maxAgeMs = limits.performanceUnsentMinutes * 60_000;
/** What four quadrants give in that time, also where the device's clock was set back meanwhile. */
const maxSamples = limits.performanceUnsentMinutes * 60 * quadrants.length;

/** Samples that wait to be sent, in memory alone: the oldest first, and those that nobody would take are dropped. */
export class UnsentSamples {
  private samples: QualitySample[] = [];

  get isEmpty(): boolean {
    return this.samples.length === 0;
  }

  get hasFullCall(): boolean {
    return this.samples.length >= limits.performanceSamplesPerCall;
  }

  get areTroubled(): boolean {
    return this.samples.some(isTroubled);
  }

  add(samples: readonly QualitySample[]): void {
    this.samples.push(...samples);
    this.dropOldest();
  }

  /** As many as one call takes. */
  take(): QualitySample[] {
    this.dropOldest();
    return this.samples.splice(0, limits.performanceSamplesPerCall);
  }

  /** They were not sent after all. */
  putBack(samples: readonly QualitySample[]): void {
    this.samples.unshift(...samples);
    this.dropOldest();
  }

  private dropOldest(): void {
    this.samples = this.samples.slice(-maxSamples).filter(({ at }) => now() - at <= maxAgeMs);
  }
}
