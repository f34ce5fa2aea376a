import type { Clock } from '../clock.ts';

/** How long a value counts as recent, and how long `read` waits for a new one, in milliseconds. */
interface RecentValueTimes {
  freshMs: number;
  patienceMs: number;
}

const usualTimes: RecentValueTimes = { freshMs: 10_000, patienceMs: 2_000 };

/**
 * Caches a value that is expensive to read: it is read at most once per `freshMs`, and never twice
 * at the same time.
 */
export class RecentValue<T> {
  private readonly clock: Clock;
  private readonly source: () => Promise<T>;
  private readonly onFault: (error: unknown) => void;
  private readonly times: RecentValueTimes;
  private latest: { value: Promise<T | null>; at: number } | null = null;
  private isReading = false;
  private hasFailed = false;

  /**
   * @param onFault receives the error of the first failed read; further ones are silent until a
   * read succeeds
   */
  constructor(
    clock: Clock,
    source: () => Promise<T>,
    onFault: (error: unknown) => void,
    times: RecentValueTimes = usualTimes,
  ) {
    this.clock = clock;
    this.source = source;
    this.onFault = onFault;
    this.times = times;
  }

  /** Never rejects. @returns null if the value cannot be read, or not in time */
  read(): Promise<T | null> {
    const now = this.clock.elapsed();
    if (this.latest === null || (!this.isReading && now - this.latest.at >= this.times.freshMs))
      this.latest = { value: this.readInTime(), at: now };
    return this.latest.value;
  }

  private async readInTime(): Promise<T | null> {
    const { promise, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(resolve, this.times.patienceMs, null).unref();
    try {
      return await Promise.race([this.readNow(), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async readNow(): Promise<T | null> {
    this.isReading = true;
    try {
      const value = await this.source();
      this.hasFailed = false;
      return value;
    } catch (error) {
      if (!this.hasFailed) this.onFault(error);
      this.hasFailed = true;
      return null;
    } finally {
      this.isReading = false;
    }
  }
}
