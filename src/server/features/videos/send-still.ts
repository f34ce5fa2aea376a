import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNamed } from '../../http/pipeline/etag.ts';
import { answered } from '../../http/pipeline/route.ts';

/** A picture that was made of a video. */
export interface Still {
  /** Names it by its content. */
  content: string;
  webp: Buffer;
}

const forever = 'private, max-age=31536000, immutable';

/** @param version what the address names: only one that names this very picture may be kept without asking */
export function sendStill(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, webp }: Still,
  version: string | undefined,
): typeof answered {
  const etag = `"${content}"`;
  reply.headers({
    etag,
    'cache-control': version === content ? forever : 'private, no-cache',
    'x-content-type-options': 'nosniff',
  });
  if (isNamed(request.headers['if-none-match'], etag)) reply.code(304).send();
  else reply.type('image/webp').send(webp);
  return answered;
}
