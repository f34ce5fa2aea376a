import type { Clock } from '../../clock.ts';

export interface BucketSize {
  /** Taken at once, after a rest. */
  capacity: number;
  /** What comes back meanwhile. */
  perSecond: number;
}

/** A token bucket for each subject: so much at once, so much a second for ever. */
export interface TokenBuckets {
  /** @returns 0 when it was taken, else the milliseconds until there is enough; then nothing was taken */
  take(subject: string, cost: number): number;
  /** As `take`, and nothing is taken in any case. */
  check(subject: string, cost: number): number;
  /** How many are remembered. */
  readonly size: number;
}

interface Bucket {
  tokens: number;
  /** Of the clock's elapsed milliseconds. */
  at: number;
}

/** Some MB. Who is forgotten begins with a full bucket. */
const maxSubjects = 20_000;

export function createTokenBuckets(
  { capacity, perSecond }: BucketSize,
  clock: Clock,
  most = maxSubjects,
): TokenBuckets {
  const buckets = new Map<string, Bucket>();

  /** Moves it behind the others: the first one is the one that has rested longest. */
  function find(subject: string, now: number): Bucket {
    const known = buckets.get(subject);
    buckets.delete(subject);
    const bucket = known ?? { tokens: capacity, at: now };
    buckets.set(subject, bucket);
    const oldest = buckets.size > most ? buckets.keys().next().value : undefined;
    if (oldest !== undefined) buckets.delete(oldest);
    return bucket;
  }

  function refill(subject: string): Bucket {
    const now = clock.elapsed();
    const bucket = find(subject, now);
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
    bucket.at = now;
    return bucket;
  }

  const waitFor = ({ tokens }: Bucket, cost: number) =>
    tokens < cost ? Math.max(1, Math.ceil(((cost - tokens) / perSecond) * 1_000)) : 0;

  return {
    take(subject, cost) {
      const bucket = refill(subject);
      const waitMs = waitFor(bucket, cost);
      if (waitMs === 0) bucket.tokens -= cost;
      return waitMs;
    },
    check: (subject, cost) => waitFor(refill(subject), cost),
    get size() {
      return buckets.size;
    },
  };
}
