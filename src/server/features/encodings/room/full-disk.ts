import type { Clock } from '../../../clock.ts';
import type { Log } from '../../../log.ts';

const firstDelayMs = 60_000;
const maxDelayMs = 3_600_000;

/** Encoding stops while the disk is full, twice as long each time, and says so once. */
export class FullDisk {
  private readonly clock: Clock;
  private readonly log: Log;
  private delayMs = 0;
  private until = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log) {
    this.clock = clock;
    this.log = log;
  }

  /** Milliseconds until it is tried again; 0: now. */
  get waitMs(): number {
    return Math.max(0, this.until - this.clock.elapsed());
  }

  /** @returns milliseconds until it is tried again */
  note(): number {
    if (this.delayMs === 0) this.log.warn('The disk is full: nothing is encoded until there is room on it.');
    this.delayMs = Math.min(Math.max(firstDelayMs, this.delayMs * 2), maxDelayMs);
    this.until = this.clock.elapsed() + this.delayMs;
    return this.delayMs;
  }

  /** Something was written. */
  forget(): void {
    if (this.delayMs > 0) this.log.info('There is room on the disk again: encoding goes on.');
    this.delayMs = 0;
    this.until = Number.NEGATIVE_INFINITY;
  }
}
