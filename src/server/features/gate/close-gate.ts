import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestAccess } from '#contract/entities/error-reply.ts';
import { readOwnCookie } from '../../http/cookies.ts';
import { Refusal } from '../../http/errors.ts';
import { plainPath } from '../../http/plain-path.ts';
import type { SiteGate } from './site-gate.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route of no call whose own key is its authority. */
    opensGate?: boolean;
  }
}

export const gateCookie = 'gate';

/** Everything below these is closed, whether there is such a call or not. */
const closedPaths = /^\/(api|auth|users)(\/|$)/;

/**
 * Closes the site to browsers that have not shown its password: each call that is not marked open, and with it video bytes and pictures. The
 * app's own files stay open.
 * @param requestAccess where visitors ask for the password
 */
export function closeGate(app: FastifyInstance, gate: SiteGate, requestAccess: RequestAccess | null): void {
  if (!gate.isClosed) return;
  app.addHook('onRequest', async (request) => {
    if (isOpen(request) || (await isAdmitted(gate, request))) return;
    throw new Refusal('site_password_required', { details: { request_access: requestAccess } });
  });
}

/** Whether the site is open to this browser. */
export async function isAdmitted(gate: SiteGate, request: FastifyRequest): Promise<boolean> {
  return !gate.isClosed || gate.isEntered(readOwnCookie(request, gateCookie));
}

function isOpen(request: FastifyRequest): boolean {
  const { endpoint, opensGate } = request.routeOptions.config;
  if (endpoint !== undefined) return endpoint.caller === 'open' || endpoint.caller === 'key';
  return opensGate === true || !closedPaths.test(plainPath(request.raw.url ?? '/'));
}
