import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { pickVideo as pickEndpoint } from '#contract/endpoints.ts';
import type { PickReply } from '#contract/entities/feed.ts';
import { pickQuerySchema } from '#contract/entities/feed.ts';
import { isQuadrant } from '#contract/quadrants.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/errors.ts';
import { route } from '../../http/route.ts';
import type { MediaUrlSigner } from '../../http/signed-urls.ts';
import { ensureViewer } from '../../http/viewer-cookie.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { Ids } from '../../ids.ts';
import { sayWhyUnplayable } from '../../media/unplayable.ts';
import { readBlockedTagIds } from '../users/user-repository.ts';
import { findPoster } from '../videos/poster-repository.ts';
import type { VideoPlaces } from '../videos/video-places.ts';
import { readTagLabels } from '../videos/video-repository.ts';
import { pickVideo } from './pick.ts';
import { toPickReply } from './to-pick-reply.ts';

const paramsSchema = z.object({ quadrant: z.string() });

export interface FeedServices {
  database: Database;
  ids: Ids;
  idSets: IdSets;
  places: VideoPlaces;
  mediaUrls: MediaUrlSigner;
}

export function feedRoutes(app: FastifyInstance, services: FeedServices): void {
  route(app, pickEndpoint, { params: paramsSchema, query: pickQuerySchema }, async ({ params, query, caller, request, reply }): Promise<PickReply> => {
    if (!isQuadrant(params.quadrant)) throw new NotFound('quadrant');
    const ownBlocked = caller.user === null ? [] : await readBlockedTagIds(services.database.reader, caller.user.userId);
    const wish = {
      tagIds: query.tag_ids,
      blockedTagIds: [...new Set([...query.blocked_tag_ids, ...ownBlocked])],
      mode: query.filter_mode,
      exclude: query.exclude,
    };
    const pick = await pickVideo(services.database, services.idSets, wish);
    if (pick.kind === 'none') throw new Refusal('no_videos_available');
    if (pick.kind === 'unavailable') return notYet(sayWhyUnplayable(pick.reason));
    const tags = await readTagLabels(services.database.reader, pick.video.number);
    const poster = await findPoster(services.database.reader, pick.video);
    return toPickReply(services.places, services.mediaUrls, { ...pick, tags, poster, viewer: ensureViewer(request, reply, services.ids) });
  });
}

function notYet(message: string): PickReply {
  return { available: false, message, id: null, path: null, filename: null, url: null, matching: 0 };
}
