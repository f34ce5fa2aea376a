import type { CallFacts, Endpoint } from './endpoint.ts';

/** Less than the app's own patience (picks 10 s, other calls 15 s), so that a viewer learns why. */
export const usualFacts = {
  expiredToken: 'refused',
  needsDatabase: true,
  bodyKiB: 16,
  deadlineSeconds: 12,
  budget: 'usual',
} as const;

/**
 * All facts of a call. Who may call settles the gate and the credential, unless the call says otherwise; what only
 * reads need not be repeatable.
 */
export function factsOf({ method, caller, facts }: Pick<Endpoint, 'method' | 'caller' | 'facts'>): CallFacts {
  return {
    ...usualFacts,
    gate: caller === 'open' || caller === 'key' ? 'open' : 'closed',
    credential: caller === 'key' ? 'key' : caller === 'user-or-key' ? 'bearer-or-key' : 'bearer',
    isRepeatable: method !== 'GET',
    ...facts,
  };
}
