import type { Clock } from '../../../clock.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';

/** How long encoding stands still after the last stall. */
const quietMs = 10_000;
/** At a time; then it goes on for as long as it stood still, so that one bad line stops half of it at most. */
const maxPauseMs = 30_000;
const checkEveryMs = 1_000;

export interface ViewerPauseDeps {
  clock: Clock;
  setPaused(isPaused: boolean): void;
}

/** Has encodings stand still while videos stall. */
export class ViewerPause {
  private readonly deps: ViewerPauseDeps;
  private timer: Repetition | null = null;
  /** By `clock.elapsed()`. */
  private stalledAt = Number.NEGATIVE_INFINITY;
  private notBefore = Number.NEGATIVE_INFINITY;
  private pausedFrom: number | null = null;
  private pausedAtWall: number | null = null;
  private isStopped = false;

  constructor(deps: ViewerPauseDeps) {
    this.deps = deps;
  }

  /** Since when encodings stand still, in epoch milliseconds; null while they go on. */
  get pausedAt(): number | null {
    return this.pausedAtWall;
  }

  noteStalls(): void {
    if (this.isStopped) return;
    this.stalledAt = this.deps.clock.elapsed();
    if (this.pausedFrom === null && this.stalledAt >= this.notBefore) this.pause(this.stalledAt);
  }

  stop(): void {
    this.isStopped = true;
    if (this.pausedFrom !== null) this.resume(this.pausedFrom);
  }

  private pause(now: number): void {
    this.pausedFrom = now;
    this.pausedAtWall = this.deps.clock.now();
    this.deps.setPaused(true);
    this.timer = repeat(() => this.check(), checkEveryMs);
  }

  private check(): void {
    const now = this.deps.clock.elapsed();
    const { pausedFrom } = this;
    if (pausedFrom !== null && (now - this.stalledAt >= quietMs || now - pausedFrom >= maxPauseMs))
      this.resume(pausedFrom);
  }

  private resume(pausedFrom: number): void {
    const now = this.deps.clock.elapsed();
    this.timer?.stop();
    this.timer = null;
    this.pausedFrom = null;
    this.pausedAtWall = null;
    this.notBefore = now + (now - pausedFrom);
    this.deps.setPaused(false);
  }
}
