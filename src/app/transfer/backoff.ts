import { msUntil, now, retryWaitMs } from '#device/timers.ts';

/**
 * The most early attempts in `earlyTriesMs`: the network is often reported as back before it is.
 */
const earlyTries = 3;
const earlyTriesMs = 10_000;
/**
 * The shortest wait: the server may still be writing the bytes of a lost connection, and they are
 * sent again if it is asked too early.
 */
const minWaitMs = 1_000;

/**
 * Decides when a failed request is tried again: after 1 s, 2 s, 4 s, up to 60 s, plus up to a half
 * at random.
 */
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

  /** Ends the wait after progress. */
  reset(): void {
    this.failures = 0;
    this.waitUntil = 0;
    this.early = [];
  }

  isWaiting(): boolean {
    // The clock was set back where the wait has not begun yet.
    return now() >= this.failedAt && msUntil(this.waitUntil) > 0;
  }

  /** Shortens the wait when another attempt may succeed now. */
  hurry(): void {
    const time = now();
    this.early = this.early.filter((at) => Math.abs(time - at) < earlyTriesMs);
    if (this.early.length >= earlyTries) return;
    this.early.push(time);
    this.waitUntil = Math.min(this.waitUntil, this.failedAt + minWaitMs);
  }
}
