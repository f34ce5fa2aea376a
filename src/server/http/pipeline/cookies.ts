import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Cookies that only the server reads. Over TLS their names begin with `__Host-`: no other host of the domain, and
 * nobody on the way of an unencrypted call, can put one in their place.
 */
export function readOwnCookie(request: FastifyRequest, name: string): string | undefined {
  return request.cookies[nameFor(request, name)];
}

export function setOwnCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  value: string,
  maxAgeSeconds: number,
): void {
  reply.setCookie(nameFor(request, name), value, { ...attributesFor(request), maxAge: maxAgeSeconds });
}

export function clearOwnCookie(request: FastifyRequest, reply: FastifyReply, name: string): void {
  reply.clearCookie(nameFor(request, name), attributesFor(request));
}

function nameFor(request: FastifyRequest, name: string): string {
  return isSecure(request) ? `__Host-${name}` : name;
}

function attributesFor(request: FastifyRequest): CookieSerializeOptions {
  return { httpOnly: true, sameSite: 'lax', secure: isSecure(request), path: '/' };
}

function isSecure(request: FastifyRequest): boolean {
  return request.protocol === 'https';
}
