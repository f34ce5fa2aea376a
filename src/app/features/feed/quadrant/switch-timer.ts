import { after, now } from '#app/platform/timers.ts';

/** Counts the playing time of one video, and nothing else, until the switch interval has passed. */
export class SwitchTimer {
  private readonly intervalMs: () => number;
  private readonly passed: () => void;
  private playedMs = 0;
  private runningSince: number | null = null;
  private cancel = () => {};

  constructor(intervalMs: () => number, passed: () => void) {
    this.intervalMs = intervalMs;
    this.passed = passed;
  }

  run(): void {
    if (this.runningSince !== null) return;
    this.runningSince = now();
    this.cancel = after(Math.max(0, this.intervalMs() - this.playedMs), this.passed);
  }

  hold(): void {
    if (this.runningSince === null) return;
    this.cancel();
    this.playedMs += this.ranMs(this.runningSince);
    this.runningSince = null;
  }

  /** Another video: a full interval begins. */
  restart(): void {
    const wasRunning = this.runningSince !== null;
    this.reset();
    if (wasRunning) this.run();
  }

  reset(): void {
    this.hold();
    this.playedMs = 0;
  }

  /** Another interval holds for the time that was played already. */
  adjust(): void {
    if (this.runningSince === null) return;
    this.hold();
    this.run();
  }

  /** A change of the device's clock neither subtracts time nor adds more than one interval. */
  private ranMs(since: number): number {
    return Math.min(Math.max(0, now() - since), this.intervalMs());
  }
}
