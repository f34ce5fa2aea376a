import type { FastifyReply, FastifyRequest } from 'fastify';
import { clearOwnCookie, readOwnCookie, setOwnCookie } from '../../../http/pipeline/cookies.ts';

const name = 'invitation';
/** Of every visit to a provider, and of nothing else that takes an invitation. */
const path = '/auth/oauth';
const lifeSeconds = 3_600;

/** Carries the token of an invitation to the visit of a provider, so that it stands in no address. */
export function setInvitationCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  setOwnCookie(request, reply, name, token, lifeSeconds, path);
}

export function readInvitationCookie(request: FastifyRequest): string | undefined {
  return readOwnCookie(request, name, path);
}

export function clearInvitationCookie(request: FastifyRequest, reply: FastifyReply): void {
  clearOwnCookie(request, reply, name, path);
}
