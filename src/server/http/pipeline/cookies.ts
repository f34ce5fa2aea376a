import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ids } from '../../ids.ts';
import { clientAddress } from '../client-address.ts';

const wholeSite = '/';

/**
 * Cookies that only the server reads. Over TLS their names begin with `__Host-`: neither another
 * host of the domain nor an attacker on an unencrypted connection can set them. The prefix requires
 * `Path=/` (RFC 6265bis section 4.1.3.2), so cookies of a single path begin with `__Secure-`;
 * another host of the domain could set those.
 */
export const ownCookie = {
  read(request: FastifyRequest, name: string, path = wholeSite): string | undefined {
    return request.cookies[nameFor(request, name, path)];
  },

  set(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    value: string,
    maxAgeSeconds: number,
    path = wholeSite,
  ): void {
    reply.setCookie(nameFor(request, name, path), value, { ...attributesFor(request, path), maxAge: maxAgeSeconds });
  },

  clear(request: FastifyRequest, reply: FastifyReply, name: string, path = wholeSite): void {
    reply.clearCookie(nameFor(request, name, path), attributesFor(request, path));
  },
};

function nameFor(request: FastifyRequest, name: string, path: string): string {
  if (!isSecure(request)) return name;
  return path === wholeSite ? `__Host-${name}` : `__Secure-${name}`;
}

function attributesFor(request: FastifyRequest, path: string): CookieSerializeOptions {
  return { httpOnly: true, sameSite: 'lax', secure: isSecure(request), path };
}

function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https';
}

const cookieName = 'viewer';
const lifeSeconds = 400 * 24 * 3_600;
const shape = /^[\w-]{16,64}$/;

/** The parts of a request that identify a viewer. */
export type ViewerRequest = Pick<FastifyRequest, 'cookies' | 'ip'>;

/** The random name of a browser, to which its media URLs are bound; undefined if it has none. */
export function viewerOf(request: Pick<FastifyRequest, 'cookies'>): string | undefined {
  const viewer = request.cookies[cookieName];
  return viewer !== undefined && shape.test(viewer) ? viewer : undefined;
}

/** The key of a browser where no sign-in is needed: its random name, or else its address. */
export function viewerKey(request: ViewerRequest): string {
  return viewerOf(request) ?? clientAddress(request);
}

/** Gives the browser a random name if it has none. */
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
