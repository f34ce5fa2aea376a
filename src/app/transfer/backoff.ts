import { retryWaitMs } from '#device/timers.ts';
import { now } from '../platform/timers.ts';

/** So often in so many milliseconds an early try is worth it: the network is said to be back before it is. */
const earlyTries = 3;
const earlyTriesMs = 10_000;
/** The server is still writing what came before a connection ended: asking it sooner costs these bytes. */
const minWaitMs = 1_000;

/** When something that has failed is tried again: 1 s, 2 s, 4 s, up to 60 s, and a half more at random. */
export class Backoff {
  private readonly chance: () => number;
  private failures = 0;
  private early: number[] = [];
  private failedAt = 0;
  /** Epoch milliseconds; 0: now. */
  waitUntil = 0;

  constructor(chance: () => number) {
    this.chance = chance;
  }

  /** @param askedMs the wait that the server asks for */
  fail(askedMs: number | null = null): void {
    this.failures += 1;
    this.failedAt = now();
    this.waitUntil = this.failedAt + Math.max(askedMs ?? 0, retryWaitMs(this.failures, this.chance()));
  }

  /** There was progress. */
  reset(): void {
    this.failures = 0;
    this.waitUntil = 0;
    this.early = [];
  }

  isWaiting(): boolean {
    return this.waitUntil > now();
  }

  /** It may be worth trying now. */
  hurry(): void {
    const time = now();
    this.early = this.early.filter((at) => time - at < earlyTriesMs);
    if (this.early.length >= earlyTries) return;
    this.early.push(time);
    this.waitUntil = Math.min(this.waitUntil, this.failedAt + minWaitMs);
  }
}
