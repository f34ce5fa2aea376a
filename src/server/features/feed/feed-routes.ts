import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import * as endpoints from '#contract/endpoints.ts';
import { firstPicksQuerySchema, pickQuerySchema } from '#contract/entities/feed.ts';
import { isQuadrant, quadrants } from '#contract/quadrants.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { route } from '../../http/pipeline/route.ts';
import { ensureViewer } from '../../http/pipeline/viewer-cookie.ts';
import type { Ids } from '../../ids.ts';
import type { GiveVideo } from './give-video.ts';
import type { FirstFilters } from './pick-first-videos.ts';
import { pickFirstVideos } from './pick-first-videos.ts';

const paramsSchema = z.object({ quadrant: z.string() });

export interface FeedServices {
  ids: Ids;
  giveVideo: GiveVideo;
}

export function feedRoutes(app: FastifyInstance, { ids, giveVideo }: FeedServices): void {
  route(
    app,
    endpoints.pickVideo,
    { params: paramsSchema, query: pickQuerySchema },
    async ({ params, query, caller, request, reply }) => {
      if (!isQuadrant(params.quadrant)) throw new NotFound('quadrant');
      const { tag_ids: tagIds, blocked_tag_ids: blockedTagIds, filter_mode: mode, exclude } = query;
      const userId = caller.user?.userId ?? null;
      return giveVideo({ tagIds, blockedTagIds, mode, exclude, userId }, ensureViewer(request, reply, ids));
    },
  );

  route(app, endpoints.pickFirstVideos, { query: firstPicksQuerySchema }, async ({ query, caller, request, reply }) =>
    caller.user === null ? pickFirstVideos(giveVideo, ensureViewer(request, reply, ids), toFilters(query)) : null,
  );
}

function toFilters(query: z.output<typeof firstPicksQuerySchema>): FirstFilters {
  return Object.fromEntries(
    quadrants.map((quadrant) => [quadrant, { tagIds: query[quadrant], mode: query[`${quadrant}-mode`] }]),
  );
}
