import type { Clock } from '../../clock.ts';

export interface RestingLimits {
  /** How long one rests before it is closed. */
  idleMs: number;
  /** How many rest at most; those in use are as many as there are streams at most. */
  idleFiles: number;
}

/** Open files that nobody reads just now, kept for a moment because somebody is likely to come back. */
export class RestingFiles<File> {
  private readonly clock: Clock;
  private readonly limits: RestingLimits;
  private readonly close: (file: File) => Promise<void>;
  /** Since when, by `clock.elapsed()`; the one that rests for the longest first. */
  private readonly resting = new Map<File, number>();
  private timer: NodeJS.Timeout | undefined;

  /** @param close removes the file from here as well */
  constructor(clock: Clock, limits: RestingLimits, close: (file: File) => Promise<void>) {
    this.clock = clock;
    this.limits = limits;
    this.close = close;
  }

  add(file: File): void {
    this.resting.set(file, this.clock.elapsed());
    const [oldest] = this.resting.size > this.limits.idleFiles ? this.resting.keys() : [];
    if (oldest !== undefined) void this.close(oldest);
    this.closeRestedIn(this.limits.idleMs);
  }

  /** Somebody reads it again, or it is closed already. */
  remove(file: File): void {
    this.resting.delete(file);
  }

  async closeAll(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await Promise.all([...this.resting.keys()].map((file) => this.close(file)));
  }

  private closeRested(): void {
    const now = this.clock.elapsed();
    const { idleMs } = this.limits;
    this.timer = undefined;
    for (const [file, since] of this.resting) {
      if (now - since >= idleMs) void this.close(file);
      else this.closeRestedIn(Math.max(1, idleMs - (now - since)));
    }
  }

  private closeRestedIn(ms: number): void {
    this.timer ??= setTimeout(() => this.closeRested(), ms).unref();
  }
}
