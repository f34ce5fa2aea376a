import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import * as endpoints from '#contract/endpoints.ts';
import { firstPicksQuerySchema, pickQuerySchema } from '#contract/entities/feed.ts';
import { isQuadrant, quadrants } from '#contract/quadrants.ts';
import { audioCookie } from '#contract/rules/settings.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';
import { audienceOf } from '../videos/audience.ts';
import type { ElementFacts } from '../videos/playback.ts';
import { watcherOf } from '../watched/watched-owner.ts';
import type { FirstFilters, GiveVideo } from './give-video.ts';
import { giveFirstVideos } from './give-video.ts';

const paramsSchema = z.object({ quadrant: z.string() });

interface FeedServices {
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
      const audioLanguage = query.audio_language;
      const userId = caller.user?.userId ?? null;
      const watcher = watcherOf(request);
      const audience = audienceOf(request, reply, ids);
      const asked = { tagIds, blockedTagIds, mode, exclude, userId, watcher, audioLanguage };
      return giveVideo(asked, audience, toElement(query));
    },
  );

  route(app, endpoints.pickFirstVideos, { query: firstPicksQuerySchema }, async ({ query, caller, request, reply }) => {
    if (caller.user !== null) return null;
    const from = { watcher: watcherOf(request), audioLanguage: request.cookies[audioCookie] };
    return giveFirstVideos(giveVideo, audienceOf(request, reply, ids), toFilters(query), from);
  });
}

/**
 * Dropped frames are counted by the player, which requests another rendition when there are many.
 */
function toElement({ width, height, kbps, saves }: z.output<typeof pickQuerySchema>): ElementFacts {
  return {
    width: width ?? null,
    height: height ?? null,
    kbps: kbps ?? null,
    savesData: saves === '1',
    droppedPercent: null,
  };
}

function toFilters(query: z.output<typeof firstPicksQuerySchema>): FirstFilters {
  return Object.fromEntries(
    quadrants.map((quadrant) => [quadrant, { tagIds: query[quadrant], mode: query[`${quadrant}-mode`] }]),
  );
}
