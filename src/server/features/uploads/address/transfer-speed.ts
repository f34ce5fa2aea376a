import type { Clock } from '../../../clock.ts';

const windowMs = 5_000;

/** Bytes a second over the last seconds. */
export class TransferSpeed {
  private readonly clock: Clock;
  private readonly samples: { at: number; bytes: number }[] = [];

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** @param bytes of the file so far */
  measure(bytes: number): number {
    const now = this.clock.elapsed();
    this.samples.push({ at: now, bytes });
    while (this.samples.length > 2 && now - (this.samples[0]?.at ?? now) > windowMs) this.samples.shift();
    const first = this.samples[0] ?? { at: now, bytes };
    return now === first.at ? 0 : Math.max(0, Math.round(((bytes - first.bytes) / (now - first.at)) * 1_000));
  }
}
