import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ids } from '../../ids.ts';
import { clientAddress } from '../addresses/client-address.ts';

const cookieName = 'viewer';
const lifeSeconds = 400 * 24 * 3_600;
const shape = /^[\w-]{16,64}$/;

/** What of a request says who a viewer is. */
export type ViewerRequest = Pick<FastifyRequest, 'cookies' | 'ip'>;

/** The random name of a browser, which its media addresses are bound to; undefined when it has none yet. */
export function viewerOf(request: Pick<FastifyRequest, 'cookies'>): string | undefined {
  const viewer = request.cookies[cookieName];
  return viewer !== undefined && shape.test(viewer) ? viewer : undefined;
}

/** Whom a browser counts as where nobody has to prove anything: its random name, else the address that it comes from. */
export function viewerKey(request: ViewerRequest): string {
  return viewerOf(request) ?? clientAddress(request);
}

/** Gives the browser a name when it has none. */
export function ensureViewer(request: FastifyRequest, reply: FastifyReply, ids: Ids): string {
  const known = viewerOf(request);
  if (known !== undefined) return known;
  const viewer = ids.secret();
  const isSecure = request.protocol === 'https';
  reply.setCookie(cookieName, viewer, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    path: '/',
    maxAge: lifeSeconds,
  });
  return viewer;
}
