import { systemClock } from '../../clock.ts';

/** A timer with a longer one ends at once. */
const maxDelayMs = 2 ** 31 - 1;

/** A limit by the clock on the wall. Time in which the program stands still does not count. */
export class WallLimit {
  private readonly onReached: () => void;
  private leftMs: number;
  private startedAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(seconds: number, onReached: () => void) {
    this.leftMs = seconds * 1000;
    this.onReached = onReached;
  }

  start(): void {
    this.startedAt = systemClock.elapsed();
    this.timer = setTimeout(this.onReached, Math.min(maxDelayMs, this.leftMs));
  }

  stop(): void {
    if (this.timer === undefined) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.leftMs -= systemClock.elapsed() - this.startedAt;
  }
}
