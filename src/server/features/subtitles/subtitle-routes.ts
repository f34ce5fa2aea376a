import type { FastifyInstance } from 'fastify';
import { listSubtitles, readSubtitles } from '#contract/endpoints.ts';
import { idParamsSchema, subtitleParamsSchema } from '#contract/entities/fields.ts';
import { versionQuerySchema } from '#contract/entities/video.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { rankOf } from '../../http/pipeline/guards.ts';
import { isNamed } from '../../http/pipeline/representation.ts';
import { answered, route } from '../../http/pipeline/route.ts';
import type { Asker, Subtitles } from './subtitles.ts';

const forever = 'private, max-age=31536000, immutable';

export function subtitleRoutes(app: FastifyInstance, { subtitles }: { subtitles: Subtitles }): void {
  route(app, listSubtitles, { params: idParamsSchema }, ({ params, caller }) =>
    subtitles.list(params.id, toAsker(caller)),
  );

  route(
    app,
    readSubtitles,
    { params: subtitleParamsSchema, query: versionQuerySchema },
    async ({ params, query, caller, request, reply }) => {
      const found = await subtitles.read(params.id, params.track, query.version, toAsker(caller));
      if (found === null) throw new NotFound('track');
      const etag = `"${found.version}"`;
      reply.headers({
        etag,
        // A viewer may lose what is only for some: their browser asks each time.
        'cache-control': query.version === undefined || found.isForSome ? 'private, no-cache' : forever,
        'x-content-type-options': 'nosniff',
      });
      if (isNamed(request.headers['if-none-match'], etag)) reply.code(304).send();
      else reply.type('text/vtt; charset=utf-8').send(found.vtt);
      return answered;
    },
  );
}

function toAsker(caller: Caller): Asker {
  const { user } = caller;
  return { userId: user?.userId ?? null, isAdmin: user?.isAdmin === true, rank: rankOf(caller) };
}
