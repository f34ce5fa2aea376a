import type { FastifyInstance } from 'fastify';
import { readStoryboard } from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { versionQuerySchema } from '#contract/entities/video.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { route } from '../../http/pipeline/route.ts';
import type { StoryboardDeps } from './read-sheet.ts';
import { readSheet } from './read-sheet.ts';
import { sendStill } from './send-still.ts';

export function storyboardRoutes(app: FastifyInstance, services: StoryboardDeps): void {
  route(
    app,
    readStoryboard,
    { params: idParamsSchema, query: versionQuerySchema },
    async ({ params, query, caller, request, reply }) => {
      const sheet = await readSheet(services, params.id, caller.user?.isAdmin === true);
      if (sheet === null) throw new NotFound('storyboard');
      return sendStill(request, reply, sheet, query.version);
    },
  );
}
