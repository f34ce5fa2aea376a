import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearOwnCookie, readOwnCookie, setOwnCookie } from '../../../http/pipeline/cookies.ts';
import type { SigningKeys } from '../../../http/signing/signing-keys.ts';
import type { Session } from './session.ts';
import { sessionLifeMs } from './session.ts';

const name = 'session';

/**
 * Tells whose session a browser has where no token can be sent. It opens nothing that changes anything, and ends with
 * the session.
 */
export async function setSessionCookie(
  keys: SigningKeys,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
): Promise<void> {
  const value = `${session.id}.${await keys.sign('session-cookie', session.id)}`;
  setOwnCookie(request, reply, name, value, sessionLifeMs(session.isRemembered) / 1000);
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply): void {
  clearOwnCookie(request, reply, name);
}

/** The id of the session; null without a cookie of ours. */
export async function readSessionCookie(keys: SigningKeys, request: FastifyRequest): Promise<string | null> {
  const [, sessionId = '', signature = ''] =
    /^([\w-]{1,64})\.(\d+\.[\w-]+)$/.exec(readOwnCookie(request, name) ?? '') ?? [];
  return sessionId !== '' && (await keys.isSigned('session-cookie', sessionId, signature)) ? sessionId : null;
}
