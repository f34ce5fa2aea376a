import type { FastifyInstance } from 'fastify';
import { readPoster } from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { posterQuerySchema } from '#contract/entities/video.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { isNamed } from '../../http/pipeline/etag.ts';
import { answered, route } from '../../http/pipeline/route.ts';
import type { Posters } from './posters.ts';

const forever = 'private, max-age=31536000, immutable';

export function posterRoutes(app: FastifyInstance, { posters }: { posters: Posters }): void {
  route(
    app,
    readPoster,
    { params: idParamsSchema, query: posterQuerySchema },
    async ({ params, query, caller, request, reply }) => {
      const poster = await posters.read(params.id, caller.user?.isAdmin === true);
      if (poster === null) throw new NotFound('poster');
      const etag = `"${poster.content}"`;
      // Only an address that names this very poster may be kept without asking.
      reply.headers({
        etag,
        'cache-control': query.version === poster.content ? forever : 'private, no-cache',
        'x-content-type-options': 'nosniff',
      });
      if (isNamed(request.headers['if-none-match'], etag)) reply.code(304).send();
      else reply.type('image/webp').send(poster.webp);
      return answered;
    },
  );
}
