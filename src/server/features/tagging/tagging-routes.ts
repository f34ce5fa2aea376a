import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { pathParamsSchema, pathTagParamsSchema } from '#contract/entities/fields.ts';
import { allTaggingQuerySchema, tagAssignmentSchema, taggingQuerySchema } from '#contract/entities/tagging.ts';
import type { Env } from '../../env.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { rankOf } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';
import type { BrowseDeps } from '../browse/list-videos.ts';
import type { WriteTags } from '../tags/write-tags.ts';
import { tagEditor } from '../tags/write-tags.ts';
import { audienceOf } from '../videos/audience.ts';
import { readAllTagging, readTaggingPage } from './list-tagging-videos.ts';
import type { VideoAsked } from './video-tags.ts';
import { readTagsOfVideo, tagVideo, untagVideo } from './video-tags.ts';

interface TaggingServices extends BrowseDeps {
  env: Env;
  ids: Ids;
  writeTags: WriteTags;
}

export function taggingRoutes(app: FastifyInstance, services: TaggingServices): void {
  const { env, ids } = services;

  route(app, endpoints.listTaggingVideos, { query: taggingQuerySchema }, async ({ query, request, reply, signal }) =>
    readTaggingPage(services, {
      search: query.search ?? '',
      isUntaggedOnly: query.show_untagged_only,
      isUntaggedFirst: query.untagged_first,
      page: query.page,
      limit: query.limit,
      signal,
      audience: audienceOf(request, reply, ids),
    }),
  );

  route(
    app,
    endpoints.listAllTaggingVideos,
    { query: allTaggingQuerySchema },
    async ({ query, request, reply, signal }) =>
      readAllTagging(services, {
        signal,
        search: query.search ?? '',
        isUntaggedOnly: query.show_untagged_only,
        audience: audienceOf(request, reply, ids),
      }),
  );

  route(app, endpoints.readVideoTags, { params: pathParamsSchema }, async ({ params, caller }) =>
    readTagsOfVideo(services, askedBy(params, caller)),
  );

  route(
    app,
    endpoints.assignTags,
    { params: pathParamsSchema, body: tagAssignmentSchema },
    async ({ params, body, caller }) => {
      tagEditor(env, caller);
      return tagVideo(services, askedBy(params, caller), body.tag_ids, body.by_folder);
    },
  );

  route(app, endpoints.removeTag, { params: pathTagParamsSchema }, async ({ params, caller }) => {
    tagEditor(env, caller);
    await untagVideo(services, askedBy(params, caller), params.tagId);
    return null;
  });
}

function askedBy({ path }: { path: string }, caller: Caller): VideoAsked {
  return { path, isAdmin: caller.user?.isAdmin === true, rank: rankOf(caller) };
}
