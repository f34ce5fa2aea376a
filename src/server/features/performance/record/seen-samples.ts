import { unsentMs } from './sample-limits.ts';

/** Two samples of one second are further apart, also where a busy page delays its timer. */
const binMs = 100;
/** A minute more than a sample may be late by. */
const bins = (unsentMs + 60_000) / binMs;
/** What was stored while there was no network comes at once, with a little for timers that run fast. */
const burst = unsentMs / 1_000 + 30;

/**
 * Which samples of one viewer's quadrant were counted: each once, in any order, and one a second of this server's time.
 * Half a kilobyte.
 */
export class SeenSamples {
  private readonly bits = new Uint32Array(Math.ceil(bins / 32));
  /** The latest one, as all bins by the device's clock. */
  private latest: number | null = null;
  private allowed = burst;
  private allowedAt: number;

  /** @param now elapsed milliseconds, as in `add` */
  constructor(now: number) {
    this.allowedAt = now;
  }

  /** @returns whether it counts: it has not come before, and there were not too many */
  add(deviceAt: number, now: number): boolean {
    this.allowed = Math.min(burst, this.allowed + (now - this.allowedAt) / 1_000);
    this.allowedAt = now;
    // Before anything is moved: a jump through time costs thousands of steps.
    if (this.allowed < 1) return false;
    const bin = Math.floor(deviceAt / binMs);
    this.moveTo(bin);
    const at = placeOf(bin);
    const mask = 1 << (at % 32);
    const word = this.bits[at >> 5] ?? 0;
    if ((word & mask) !== 0) return false;
    this.bits[at >> 5] = word | mask;
    this.allowed -= 1;
    return true;
  }

  /** Far behind the latest one the clock of the device was set back, and what was seen by it means nothing. */
  private moveTo(bin: number): void {
    const latest = this.latest ?? bin;
    if (bin <= latest - bins || bin >= latest + bins) this.bits.fill(0);
    else for (let passed = latest + 1; passed <= bin; passed += 1) this.clear(placeOf(passed));
    if (bin > latest || bin <= latest - bins) this.latest = bin;
    else this.latest = latest;
  }

  private clear(at: number): void {
    this.bits[at >> 5] = (this.bits[at >> 5] ?? 0) & ~(1 << (at % 32));
  }
}

/** Instants before 1970 are negative. */
function placeOf(bin: number): number {
  return ((bin % bins) + bins) % bins;
}
