import { after, now } from '#device/timers.ts';

/**
 * Runs work at once, and then at most once in `pauseMs`: work that is requested in between runs at
 * the end of the pause.
 */
export class Pace {
  private readonly pauseMs: number;
  /** Epoch milliseconds. */
  private doneAt = Number.NEGATIVE_INFINITY;
  private cancelNext = () => {};

  constructor(pauseMs: number) {
    this.pauseMs = pauseMs;
  }

  run(work: () => void): void {
    this.cancel();
    const waitMs = Math.min(this.pauseMs, this.doneAt + this.pauseMs - now());
    if (waitMs > 0) {
      this.cancelNext = after(waitMs, () => this.run(work));
      return;
    }
    this.doneAt = now();
    work();
  }

  cancel(): void {
    this.cancelNext();
  }
}
