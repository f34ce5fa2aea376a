import type { FastifyRequest } from 'fastify';
import type { CallFacts, Endpoint } from '#contract/endpoint.ts';
import { rankOfViewer } from '#contract/rules/tag.ts';
import type { Features, Tier } from '#contract/rules/tiers.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { Refusal } from './errors.ts';

/** A signed-in person, as far as permissions need to know them. */
export interface SignedIn {
  userId: string;
  sessionId: string;
  /** The effective tier. */
  tier: Tier;
  isAdmin: boolean;
  /** Counts changes after which this person's clients have to load their data again. */
  revision: number;
}

/** The person or program that makes a call. */
export interface Caller {
  /** Null for an anonymous caller. */
  user: SignedIn | null;
  features: Features;
  /** True for a valid token that has expired and can be renewed. */
  hasExpired: boolean;
}

export const anonymous: Caller = { user: null, features: featuresByTier.basic, hasExpired: false };

/** Permissions follow from the tier alone. */
export function callerFor({
  userId,
  tier,
  sessionId = '',
  revision = 0,
}: Pick<SignedIn, 'userId' | 'tier'> & Partial<SignedIn>): Caller {
  return {
    user: { userId, sessionId, tier, isAdmin: tier === 'admin', revision },
    features: featuresByTier[tier],
    hasExpired: false,
  };
}

/** The rank of a caller, which decides about the channels that they see. */
export function rankOf(caller: Caller): number {
  return rankOfViewer(caller.user?.tier ?? null);
}

/** Identifies the caller from the headers and cookies of a request. */
export type IdentifyCaller = (request: FastifyRequest) => Promise<Caller>;

/**
 * Checks the access rule of an endpoint (§6): the `caller` that it requires, and a token that has
 * not expired unless its facts allow it. Whether a key is valid is checked by the route.
 * @param hasKey whether the request brings one
 * @throws Refusal 401 if the caller has to sign in or renew the token, 403 if the caller lacks the
 * right
 */
export function guard(
  { caller: who }: Pick<Endpoint, 'caller'>,
  { expiredToken }: Pick<CallFacts, 'expiredToken'>,
  caller: Caller,
  hasKey = false,
): void {
  if (who === 'open' || who === 'key') return;
  if (who === 'user-or-key' && hasKey) return;
  if (caller.hasExpired && expiredToken === 'refused') throw new Refusal('token_expired');
  if (who === 'anyone') return;
  signedIn(caller);
  if (who === 'admin' && caller.user?.isAdmin !== true) throw new Refusal('forbidden');
}

/** @throws Refusal 401 */
export function signedIn(caller: Caller): SignedIn {
  if (caller.user === null) throw new Refusal(caller.hasExpired ? 'token_expired' : 'unauthorized');
  return caller.user;
}

/** The token of an `Authorization` header (RFC 6750 section 2.1); null without one. */
export function readBearerToken(authorization: string | undefined): string | null {
  return /^Bearer ([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1] ?? null;
}
