import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import * as endpoints from '#contract/endpoints.ts';
import { pickQuerySchema } from '#contract/entities/feed.ts';
import { isQuadrant } from '#contract/quadrants.ts';
import { NotFound } from '../../http/errors.ts';
import { route } from '../../http/route.ts';
import { ensureViewer } from '../../http/viewer-cookie.ts';
import type { Ids } from '../../ids.ts';
import { readBlockedTagIds } from '../users/user-repository.ts';
import { pickFirstVideos } from './first-videos.ts';
import type { VideoGiver } from './give-video.ts';
import { giveVideo } from './give-video.ts';

const paramsSchema = z.object({ quadrant: z.string() });

export interface FeedServices extends VideoGiver {
  ids: Ids;
}

export function feedRoutes(app: FastifyInstance, services: FeedServices): void {
  route(app, endpoints.pickVideo, { params: paramsSchema, query: pickQuerySchema }, async ({ params, query, caller, request, reply }) => {
    if (!isQuadrant(params.quadrant)) throw new NotFound('quadrant');
    const ownBlocked = caller.user === null ? [] : await readBlockedTagIds(services.database.reader, caller.user.userId);
    const wish = {
      tagIds: query.tag_ids,
      blockedTagIds: [...new Set([...query.blocked_tag_ids, ...ownBlocked])],
      mode: query.filter_mode,
      exclude: query.exclude,
    };
    return giveVideo(services, wish, ensureViewer(request, reply, services.ids));
  });

  route(app, endpoints.pickFirstVideos, {}, async ({ caller, request, reply }) =>
    caller.user === null ? pickFirstVideos(services, ensureViewer(request, reply, services.ids)) : null,
  );
}
