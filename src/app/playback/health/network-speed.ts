import { limits } from '#contract/limits.ts';
import { readLearned, storeLearned } from '../budget/learned-device.ts';
import { slowBelowKbps } from '../budget/prepare-mode.ts';
import type { QualitySample } from './quality-sample.ts';

/** A transfer that has ended, as the browser's resource timing has it: bytes, and milliseconds since the page began. */
export type Transfer = Pick<PerformanceResourceTiming, 'transferSize' | 'responseStart' | 'responseEnd'>;

/** Of what is shorter, the time until its first byte says more than its bytes. */
const minBytes = limits.pieceMinBytes;
/** How much of the sums each transfer leaves of those before it: some ten of them count. */
const keptShare = 0.9;
/** A video that has just begun lacks data for a second or two everywhere. */
const lackingSeconds = 3;
/** Smaller changes are not worth a write. */
const minChange = 0.1;

/**
 * Learns how fast videos come over the network, all quadrants together, while bytes really come. Most of the time they
 * come as fast as they are played and no faster: what is measured then is less than what the network could give, and
 * counts only where it is more than what is known. While videos lack data, it is all that the network gives.
 */
export class NetworkSpeed {
  private bits = 0;
  private ms = 0;
  /** Until when transfers have been counted: those side by side share their time. */
  private countedUntil = 0;
  private secondsLacking = 0;
  private hasNew = false;
  private known = readLearned('kbps');
  private isStored = false;

  add({ transferSize, responseStart, responseEnd }: Transfer): void {
    if (!(transferSize >= minBytes && responseEnd > responseStart)) return;
    const ms = Math.max(0, responseEnd - Math.max(responseStart, this.countedUntil));
    this.countedUntil = Math.max(responseEnd, this.countedUntil);
    this.bits = this.bits * keptShare + transferSize * 8;
    this.ms = this.ms * keptShare + ms;
    this.hasNew = true;
  }

  /** To be called once a second, with what was sampled in it. */
  learn(samples: readonly QualitySample[]): void {
    const isLacking = samples.some(({ bufferLevelSeconds }) => bufferLevelSeconds < limits.lowBufferSeconds);
    this.secondsLacking = isLacking ? this.secondsLacking + 1 : 0;
    if (!this.hasNew) return;
    this.hasNew = false;
    // Bits per millisecond.
    const kbps = Math.round(this.bits / this.ms);
    if (kbps > (this.known ?? slowBelowKbps) || this.secondsLacking >= lackingSeconds) this.store(Math.max(1, kbps));
  }

  private store(kbps: number): void {
    const change = Math.abs(kbps - (this.known ?? 0));
    if (this.isStored && change < (this.known ?? 0) * minChange) return;
    this.known = kbps;
    this.isStored = true;
    storeLearned('kbps', kbps);
  }
}
