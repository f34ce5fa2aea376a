import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallBudget } from '#contract/endpoint.ts';
import { limits } from '#contract/limits.ts';
import { isBelowCallFolder } from '#contract/server-paths.ts';
import type { Clock } from '../../clock.ts';
import { clientAddress } from '../addresses/client-address.ts';
import { Refusal } from '../pipeline/errors.ts';
import type { TokenBuckets } from './token-buckets.ts';
import { createTokenBuckets } from './token-buckets.ts';

/** What all calls of one address, and of one person, may cost together; kept by this process alone. */
export interface CallBudgets {
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
