const windowMs = 10_000;
/** Progress events come as often as the engine likes. */
const sampleMs = 250;
/** Before that a speed says more about buffers than about the link. */
const minWindowMs = 1_000;

/** Bytes a second over the last ten seconds. */
export class TransferRate {
  private samples: { at: number; bytes: number }[] = [];
  private total = 0;

  /** @param bytes that have gone since the last call, at `at` in epoch milliseconds */
  add(bytes: number, at: number): void {
    this.total += bytes;
    const last = this.samples[this.samples.length - 1];
    if (last && at - last.at < sampleMs && this.samples.length > 1) last.bytes = this.total;
    else this.samples.push({ at, bytes: this.total });
    this.forgetBefore(at - windowMs);
  }

  /** Null while unknown. */
  perSecond(at: number): number | null {
    this.forgetBefore(at - windowMs);
    const [first] = this.samples;
    if (!first || at - first.at < minWindowMs) return null;
    return ((this.total - first.bytes) / (at - first.at)) * 1000;
  }

  /** The last one before the window is its beginning. */
  private forgetBefore(start: number): void {
    while (this.samples.length > 1 && (this.samples[1]?.at ?? start) <= start) this.samples.shift();
    const [first] = this.samples;
    if (first && first.at < start) first.at = start;
  }
}

/** Null while unknown. */
export function secondsLeft(bytes: number, perSecond: number | null): number | null {
  if (perSecond === null || perSecond < 1) return null;
  return Math.ceil(bytes / perSecond);
}
