import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallBudget } from '#contract/endpoint.ts';
import { limits } from '#contract/limits.ts';
import { isBelowCallFolder } from '#contract/server-paths.ts';
import type { Clock } from '../../clock.ts';
import { clientAddress } from '../client-address.ts';
import { Refusal } from '../pipeline/errors.ts';

/** Budgets for all calls of one address and of one person together, kept by this process alone. */
interface CallBudgets {
  addresses: TokenBuckets;
  people: TokenBuckets;
}

export const callCosts: Readonly<Record<CallBudget, number>> = { none: 0, usual: 1, heavy: limits.heavyCallCost };

/** The budgets are generous, because a household or a company is one address. */
export function createCallBudgets(clock: Clock): CallBudgets {
  return {
    addresses: createTokenBuckets(
      { capacity: limits.addressCallBurst, perSecond: limits.addressCallsPerSecond },
      clock,
    ),
    people: createTokenBuckets({ capacity: limits.personCallBurst, perSecond: limits.personCallsPerSecond }, clock),
  };
}

/**
 * Refuses calls beyond the budgets: of an address before anything else is done, of a person once
 * the caller is identified. Must be added after the hook that provides facts.
 */
export function limitCalls(app: FastifyInstance, { addresses, people }: CallBudgets): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const cost = callCosts[budgetOf(request)];
    done(cost === 0 ? undefined : refusalOf(addresses, clientAddress(request), cost));
  });
  // The hook is added only to routes that count, so that byte requests do not pay for an empty
  // hook.
  app.addHook('onRoute', (route) => {
    const cost = callCosts[route.config?.facts?.budget ?? 'none'];
    if (cost === 0) return;
    route.preParsing = (request, _reply, _payload, done) => {
      const person = request.caller?.user?.userId;
      done(person === undefined ? null : refusalOf(people, person, cost));
    };
  });
}

/** Calls that do not exist cost something too; the app's own files are free. */
function budgetOf({ facts, url }: FastifyRequest): CallBudget {
  return facts?.budget ?? (isBelowCallFolder(url) ? 'usual' : 'none');
}

function refusalOf(buckets: TokenBuckets, subject: string, cost: number): Refusal | undefined {
  const waitMs = buckets.take(subject, cost);
  if (waitMs === 0) return undefined;
  return new Refusal('rate_limited', {
    message: 'Too many requests. Please wait a little.',
    headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  });
}

interface BucketSize {
  /** The tokens of a full bucket, after a pause. */
  capacity: number;
  /** The tokens that are added per second. */
  perSecond: number;
}

/** A token bucket per subject: a burst at once, and a lasting rate. */
export interface TokenBuckets {
  /**
   * @returns 0 if the tokens were taken; otherwise nothing is taken, and the milliseconds until
   * there are enough
   */
  take(subject: string, cost: number): number;
  /** The same as `take`, but never takes tokens. */
  check(subject: string, cost: number): number;
  /** The number of remembered subjects. */
  readonly size: number;
}

interface Bucket {
  tokens: number;
  /** The last refill, by `clock.elapsed()`. */
  at: number;
}

/** About as many as fit into a few MB. A forgotten subject starts again with a full bucket. */
const maxSubjects = 20_000;

export function createTokenBuckets(
  { capacity, perSecond }: BucketSize,
  clock: Clock,
  most = maxSubjects,
): TokenBuckets {
  const buckets = new Map<string, Bucket>();

  /** Moves the bucket to the end of the map: the first one is the least recently used. */
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
