import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { videosByTagsQuerySchema } from '#contract/entities/tagging.ts';
import { videoCheckQuestionSchema } from '#contract/entities/video.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';
import { audienceOf } from '../videos/audience.ts';
import { checkVideos } from './check-videos.ts';
import type { BrowseDeps } from './list-videos.ts';
import { readOneVideo, readVideoPage } from './list-videos.ts';

interface BrowseServices extends BrowseDeps {
  ids: Ids;
}

export function browseRoutes(app: FastifyInstance, services: BrowseServices): void {
  route(
    app,
    endpoints.listVideosByTags,
    { query: videosByTagsQuerySchema },
    async ({ query, caller, request, reply, signal }) =>
      readVideoPage(services, {
        tagIds: query.tag_ids,
        blockedTagIds: query.blocked_tag_ids,
        mode: query.filter_mode,
        search: query.search ?? '',
        sort: query.sort_by,
        userId: caller.user?.userId ?? null,
        page: query.page,
        limit: query.limit,
        signal,
        audience: audienceOf(request, reply, services.ids),
      }),
  );

  route(app, endpoints.readVideo, { params: idParamsSchema }, async ({ params, caller, request, reply }) => ({
    video: await readOneVideo(services, {
      id: params.id,
      userId: caller.user?.userId ?? null,
      audience: audienceOf(request, reply, services.ids),
    }),
  }));

  route(app, endpoints.checkVideos, { body: videoCheckQuestionSchema }, async ({ body, request, reply }) =>
    checkVideos(services, body, audienceOf(request, reply, services.ids)),
  );
}
