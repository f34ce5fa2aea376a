import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallBudget } from '#contract/endpoint.ts';
import { limits } from '#contract/limits.ts';
import { isBelowCallFolder } from '#contract/server-paths.ts';
import type { Clock } from '../clock.ts';
import { clientAddress } from '../http/client-address.ts';
import { RateLimited } from '../http/pipeline/errors.ts';
import { TokenBuckets } from './token-buckets.ts';

/** Budgets for all calls of one address and of one person together, kept by this process alone. */
interface CallBudgets {
  addresses: TokenBuckets;
  people: TokenBuckets;
}

export const callCosts: Readonly<Record<CallBudget, number>> = { none: 0, usual: 1, heavy: limits.heavyCallCost };

/** The budgets are generous, because a household or a company is one address. */
export function createCallBudgets(clock: Clock): CallBudgets {
  return {
    addresses: new TokenBuckets({ capacity: limits.addressCallBurst, perSecond: limits.addressCallsPerSecond }, clock),
    people: new TokenBuckets({ capacity: limits.personCallBurst, perSecond: limits.personCallsPerSecond }, clock),
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

function refusalOf(buckets: TokenBuckets, holder: string, cost: number): RateLimited | undefined {
  const waitMs = buckets.take(holder, cost);
  return waitMs === 0 ? undefined : new RateLimited(waitMs, 'Too many requests. Please wait a little.');
}
