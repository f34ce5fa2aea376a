import type { FastifyRequest } from 'fastify';
import type { Caller as Who } from '#contract/endpoint.ts';
import { Refusal } from './errors.ts';

/** A signed-in person, as far as permissions need to know them. */
export interface SignedIn {
  userId: string;
  isAdmin: boolean;
}

/** Whoever makes a call. */
export interface Caller {
  /** Null: anonymous. */
  user: SignedIn | null;
}

export const anonymous: Caller = { user: null };

/** Says who makes a call, from what the request carries. */
export type IdentifyCaller = (request: FastifyRequest) => Promise<Caller>;

/** As long as nobody can sign in, whatever a request carries proves nothing. */
export const identifyNobody: IdentifyCaller = async () => anonymous;

/**
 * §6, for every route alike: what `who` of the endpoint asks for.
 * @throws Refusal 401 for those who have to sign in first, 403 for those who may not
 */
export function guard(who: Who, caller: Caller): void {
  if (who === 'open' || who === 'anyone') return;
  if (caller.user === null) throw new Refusal('unauthorized');
  if (who === 'admin' && !caller.user.isAdmin) throw new Refusal('forbidden');
}
