import type { FastifyInstance } from 'fastify';
import { readPoster } from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { versionQuerySchema } from '#contract/entities/video.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Posters } from './posters.ts';
import { sendStill } from './send-still.ts';

export function posterRoutes(app: FastifyInstance, { posters }: { posters: Posters }): void {
  route(
    app,
    readPoster,
    { params: idParamsSchema, query: versionQuerySchema },
    async ({ params, query, caller, request, reply }) => {
      const poster = await posters.read(params.id, caller.user?.isAdmin === true);
      if (poster === null) throw new NotFound('poster');
      return sendStill(request, reply, poster, query.version);
    },
  );
}
