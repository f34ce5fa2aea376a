import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestAccess } from '#contract/entities/error-reply.ts';
import { limits } from '#contract/limits.ts';
import { isBelowCallFolder } from '#contract/server-paths.ts';
import { plainPath } from '../../http/addresses/plain-path.ts';
import { readOwnCookie, setOwnCookie } from '../../http/pipeline/cookies.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { SiteGate } from './site-gate.ts';

const gateCookie = 'gate';

/**
 * Closes the site to browsers that have not shown its password: each call that is not marked open, and with it video
 * bytes and pictures, and every address below those of calls, whether there is such a call or not. The app's own files
 * stay open. Who goes on using the site stays in: the cookie is renewed once a day, beside any answer that is no bytes.
 * @param requestAccess where visitors ask for the password
 */
export function closeGate(app: FastifyInstance, gate: SiteGate, requestAccess: RequestAccess | null): void {
  if (!gate.isClosed) return;
  app.addHook('onRequest', async (request, reply) => {
    if (isOpen(request)) return;
    if (await isAdmitted(gate, request)) {
      const isRenewed = request.facts?.budget !== 'none' && gate.isDue(readOwnCookie(request, gateCookie));
      if (isRenewed) await setGateCookie(gate, request, reply);
      return;
    }
    throw new Refusal('site_password_required', { details: { request_access: requestAccess } });
  });
}

/** Whether the site is open to this browser. */
export async function isAdmitted(gate: SiteGate, request: FastifyRequest): Promise<boolean> {
  return !gate.isClosed || gate.isEntered(readOwnCookie(request, gateCookie));
}

export async function setGateCookie(gate: SiteGate, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  setOwnCookie(request, reply, gateCookie, await gate.issue(), limits.gateCookieDays * 86_400);
}

function isOpen(request: FastifyRequest): boolean {
  if (request.facts !== null) return request.facts.gate === 'open';
  // A folder's own address is closed like what is in it.
  return !isBelowCallFolder(`${plainPath(request.raw.url ?? '/')}/`);
}
