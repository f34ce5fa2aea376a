import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallBudget } from '#contract/endpoint.ts';
import { limits } from '#contract/limits.ts';
import { isBelowCallFolder } from '#contract/server-paths.ts';
import type { Clock } from '../../clock.ts';
import { clientAddress } from '../client-address.ts';
import { Refusal } from '../pipeline/errors.ts';

/** What all calls of one address, and of one person, may cost together; kept by this process alone. */
interface CallBudgets {
  addresses: TokenBuckets;
  people: TokenBuckets;
}

export const callCosts: Readonly<Record<CallBudget, number>> = { none: 0, usual: 1, heavy: limits.heavyCallCost };

/** Generous: a household or a company is one address. */
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
 * Refuses calls beyond the budgets: of an address before anything else is done for the request, of a person once it is
 * known who that is. After the hook that provides facts.
 */
export function limitCalls(app: FastifyInstance, { addresses, people }: CallBudgets): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const cost = callCosts[budgetOf(request)];
    done(cost === 0 ? undefined : refusalOf(addresses, clientAddress(request), cost));
  });
  // At the routes that count, and not at all: bytes do not pay for a hook that does nothing.
  app.addHook('onRoute', (route) => {
    const cost = callCosts[route.config?.facts?.budget ?? 'none'];
    if (cost === 0) return;
    route.preParsing = (request, _reply, _payload, done) => {
      const person = request.caller?.user?.userId;
      done(person === undefined ? null : refusalOf(people, person, cost));
    };
  });
}

/** Whoever asks for calls that do not exist costs something, too; the app's own files do not count. */
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
