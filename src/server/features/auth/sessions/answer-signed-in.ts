import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthReply } from '#contract/entities/people/account.ts';
import { toUserReply } from '../../users/user-reply.ts';
import type { AuthDeps } from '../auth-deps.ts';
import { setSessionCookie } from './session-cookie.ts';
import type { SignedInAnew } from './sessions.ts';
import { issueTokens } from './sessions.ts';

/** Tokens, the person, and the cookie for what cannot send a token. */
export async function answerSignedIn(
  deps: AuthDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, session }: SignedInAnew,
): Promise<AuthReply> {
  await setSessionCookie(deps.keys, request, reply, session);
  return { ...(await issueTokens(deps, session)), ...toUserReply(account, deps.clock.now()) };
}
