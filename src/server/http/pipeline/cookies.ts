import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

const wholeSite = '/';

/**
 * Cookies that only the server reads. Over TLS their names begin with `__Host-`: no other host of the domain, and
 * nobody on the way of an unencrypted call, can put one in their place. That prefix asks for the whole site (RFC 6265bis
 * section 4.1.3.2): those of one path begin with `__Secure-`, and another host of the domain could set them.
 */
export function readOwnCookie(request: FastifyRequest, name: string, path = wholeSite): string | undefined {
  return request.cookies[nameFor(request, name, path)];
}

export function setOwnCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  value: string,
  maxAgeSeconds: number,
  path = wholeSite,
): void {
  reply.setCookie(nameFor(request, name, path), value, { ...attributesFor(request, path), maxAge: maxAgeSeconds });
}

export function clearOwnCookie(request: FastifyRequest, reply: FastifyReply, name: string, path = wholeSite): void {
  reply.clearCookie(nameFor(request, name, path), attributesFor(request, path));
}

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
