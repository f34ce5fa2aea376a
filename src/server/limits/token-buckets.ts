import type { Clock } from '../clock.ts';

interface BucketSize {
  /** The tokens of a full bucket, after a pause. */
  capacity: number;
  /** The tokens that are added per second. */
  perSecond: number;
}

/** Allows a burst at once, and a lasting rate. All instants are those of `clock.elapsed()`. */
export class TokenBucket {
  private readonly size: BucketSize;
  private tokens: number;
  private filledAt: number;

  constructor(size: BucketSize, now: number) {
    this.size = size;
    this.tokens = size.capacity;
    this.filledAt = now;
  }

  /** @returns the milliseconds until there are enough tokens, 0 if there are */
  check(cost: number, now: number): number {
    const { capacity, perSecond } = this.size;
    this.tokens = Math.min(capacity, this.tokens + ((now - this.filledAt) / 1_000) * perSecond);
    this.filledAt = now;
    return this.tokens < cost ? Math.max(1, Math.ceil(((cost - this.tokens) / perSecond) * 1_000)) : 0;
  }

  /** Takes the tokens if there are enough, otherwise none. @returns the same as `check` */
  take(cost: number, now: number): number {
    const waitMs = this.check(cost, now);
    if (waitMs === 0) this.tokens -= cost;
    return waitMs;
  }
}

/** About as many as fit into a few MB. A forgotten holder starts again with a full bucket. */
const maxHolders = 20_000;

/** A token bucket for each holder: a person, an address or another client. */
export class TokenBuckets {
  private readonly buckets = new Map<string, TokenBucket>();
  private readonly bucketSize: BucketSize;
  private readonly clock: Clock;
  private readonly most: number;

  constructor(size: BucketSize, clock: Clock, most = maxHolders) {
    this.bucketSize = size;
    this.clock = clock;
    this.most = most;
  }

  /** The number of remembered holders. */
  get size(): number {
    return this.buckets.size;
  }

  /**
   * @returns 0 if the tokens were taken; otherwise nothing is taken, and the milliseconds until
   * there are enough
   */
  take(holder: string, cost: number): number {
    const now = this.clock.elapsed();
    return this.find(holder, now).take(cost, now);
  }

  /** The same as `take`, but never takes tokens. */
  check(holder: string, cost: number): number {
    const now = this.clock.elapsed();
    return this.find(holder, now).check(cost, now);
  }

  /** Moves the bucket to the end of the map: the first one is the least recently used. */
  private find(holder: string, now: number): TokenBucket {
    const bucket = this.buckets.get(holder) ?? new TokenBucket(this.bucketSize, now);
    this.buckets.delete(holder);
    this.buckets.set(holder, bucket);
    const oldest = this.buckets.size > this.most ? this.buckets.keys().next().value : undefined;
    if (oldest !== undefined) this.buckets.delete(oldest);
    return bucket;
  }
}
