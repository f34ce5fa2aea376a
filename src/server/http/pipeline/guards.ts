import type { FastifyRequest } from 'fastify';
import type { CallFacts, Endpoint } from '#contract/endpoint.ts';
import type { Features, Tier } from '#contract/rules/tiers.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { Refusal } from './errors.ts';

/** A signed-in person, as far as permissions need to know them. */
export interface SignedIn {
  userId: string;
  sessionId: string;
  /** The effective one. */
  tier: Tier;
  isAdmin: boolean;
  /** Counts what clients of this person have to load again. */
  revision: number;
}

/** Whoever makes a call. */
export interface Caller {
  /** Null: anonymous. */
  user: SignedIn | null;
  features: Features;
  /** True for a token that was good and can be renewed. */
  hasExpired: boolean;
}

export const anonymous: Caller = { user: null, features: featuresByTier.basic, hasExpired: false };

/** What a person may do follows from the tier alone. */
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

/** Says who makes a call, from what the request carries. */
export type IdentifyCaller = (request: FastifyRequest) => Promise<Caller>;

/**
 * §6, for every route alike: what `caller` of the endpoint asks for, and a token that still holds unless its facts say
 * otherwise. Whether a key fits is for the route to say.
 * @param hasKey whether the request brings one
 * @throws Refusal 401 for those who have to sign in first or renew their token, 403 for those who may not
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
