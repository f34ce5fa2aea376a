import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answered } from './route.ts';

/** Answers with an ETag and has it asked for each time: 304 while nothing has changed. */
export function sendWithEtag(request: FastifyRequest, reply: FastifyReply, body: object): typeof answered {
  const etag = `"${createHash('sha1').update(JSON.stringify(body)).digest('base64url')}"`;
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (isNamed(request.headers['if-none-match'], etag)) reply.code(304).send();
  else reply.send(body);
  return answered;
}

/** Whether an `If-None-Match` names this ETag; weak comparison, as RFC 9110 section 13.1.2 wants it. */
export function isNamed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const names = header.split(',').map((name) => name.trim().replace(/^W\//, ''));
  return names.includes('*') || names.includes(etag);
}
