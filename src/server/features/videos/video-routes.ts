import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { readPoster, readStoryboard } from '#contract/endpoints.ts';
import { qualityQuestionSchema, videoUrlQuestionSchema } from '#contract/entities/feed.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { versionQuerySchema, videoDetailsUpdateSchema } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { Env } from '../../env.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { rankOf, signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import { tagEditor } from '../tags/write-tags.ts';
import { allowedHeightOf, audienceOf, deviceOf } from './audience.ts';
import type { Favourites } from './favourites.ts';
import type { Posters } from './posters.ts';
import type { VideoUrlDeps } from './quality.ts';
import { recommendQuality, signVideoUrl } from './quality.ts';
import type { StoryboardDeps } from './stills.ts';
import { readSheet, sendStill } from './stills.ts';
import type { VideoDetailsDeps } from './video-details.ts';
import { editVideoDetails, readVideoDetails } from './video-details.ts';

interface VideoServices extends StoryboardDeps, VideoDetailsDeps, VideoUrlDeps {
  env: Env;
  sources: VideoDetailsDeps['sources'] & VideoUrlDeps['sources'];
  derivedFiles: StoryboardDeps['derivedFiles'] & VideoUrlDeps['derivedFiles'];
  favourites: Favourites;
  posters: Posters;
  ids: Ids;
  rateLimits: Pick<RateLimits, 'consume'>;
}

/**
 * The endpoints for details, stills and favourites of videos, and for the URL and quality that a
 * player gets.
 */
export function videoRoutes(app: FastifyInstance, services: VideoServices): void {
  route(
    app,
    readPoster,
    { params: idParamsSchema, query: versionQuerySchema },
    async ({ params, query, caller, request, reply }) => {
      const poster = await services.posters.read(params.id, toAsker(caller));
      if (poster === null) throw new NotFound('poster');
      return sendStill(request, reply, poster, query.version);
    },
  );

  route(
    app,
    readStoryboard,
    { params: idParamsSchema, query: versionQuerySchema },
    async ({ params, query, caller, request, reply }) => {
      const sheet = await readSheet(services, params.id, toAsker(caller));
      if (sheet === null) throw new NotFound('storyboard');
      return sendStill(request, reply, sheet, query.version);
    },
  );

  route(app, endpoints.readVideoDetails, { params: idParamsSchema }, async ({ params, caller }) => ({
    details: await readVideoDetails(services, params.id, toAsker(caller)),
  }));

  route(
    app,
    endpoints.updateVideoDetails,
    { params: idParamsSchema, body: videoDetailsUpdateSchema },
    async ({ params, body, caller }) => {
      const { userId, isAdmin } = tagEditor(services.env, caller);
      // Each edit is kept for a month to be undone: one person must not fill the disk with them.
      const policy = { kind: 'window', most: limits.dailyDetails, windowMs: 86_400_000 } as const;
      if (!isAdmin) await services.rateLimits.consume({ name: 'edit-details', holder: userId, policy });
      const editor = { ...toAsker(caller), userId };
      await editVideoDetails(services, params.id, body, editor);
      return { details: await readVideoDetails(services, params.id, editor) };
    },
  );

  const { favourites } = services;
  route(app, endpoints.listFavourites, {}, async ({ caller }) => ({
    ids: await favourites.listIds(likerOf(caller), services.restrictedTags),
  }));

  route(app, endpoints.addFavourite, { params: idParamsSchema }, async ({ params, caller }) => {
    await favourites.add(likerOf(caller), params.id, services.restrictedTags);
    return null;
  });

  route(app, endpoints.removeFavourite, { params: idParamsSchema }, async ({ params, caller }) => {
    await favourites.remove(signedIn(caller).userId, params.id);
    return null;
  });

  route(app, endpoints.chooseQuality, { body: qualityQuestionSchema }, async ({ body, request }) =>
    recommendQuality(body, { device: deviceOf(request), lines: allowedHeightOf(request) }),
  );

  route(app, endpoints.resolveVideoUrl, { body: videoUrlQuestionSchema }, async ({ body, request, reply }) =>
    signVideoUrl(services, body, audienceOf(request, reply, services.ids)),
  );
}

function likerOf(caller: Caller): { userId: string; rank: number } {
  return { userId: signedIn(caller).userId, rank: rankOf(caller) };
}

function toAsker(caller: Caller): { isAdmin: boolean; rank: number } {
  return { isAdmin: caller.user?.isAdmin === true, rank: rankOf(caller) };
}
