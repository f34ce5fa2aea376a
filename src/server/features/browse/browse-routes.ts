import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { videosByTagsQuerySchema } from '#contract/entities/tagging.ts';
import type { CheckedVideos, VideoCheckQuestion } from '#contract/entities/video.ts';
import { videoCheckQuestionSchema } from '#contract/entities/video.ts';
import type { Database } from '../../database/connection.ts';
import { route } from '../../http/pipeline/route.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { Ids } from '../../ids.ts';
import type { TagCatalogue } from '../tags/tag-catalogue.ts';
import type { Audience } from '../videos/audience.ts';
import { audienceOf } from '../videos/audience.ts';
import type { PathResolver } from '../videos/video.ts';
import { titleOf } from '../videos/video.ts';
import { videoRepository } from '../videos/video-repository.ts';
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

interface CheckDeps {
  database: Database;
  places: Pick<PathResolver, 'pathOf'>;
  restrictedTags: RestrictedTags;
  tagCatalogue: TagCatalogue;
}

type CheckedVideo = CheckedVideos['videos'][number];

/**
 * Tells a device which of the videos that it keeps the caller may still have. A video whose folder
 * cannot be reached for a while is still the site's; one that is withheld from the caller is gone.
 */
async function checkVideos(
  { database, places, restrictedTags, tagCatalogue }: CheckDeps,
  { videos }: VideoCheckQuestion,
  { rank, lines }: Pick<Audience, 'rank' | 'lines'>,
): Promise<CheckedVideos> {
  const states = await videoRepository.findStates(
    database.reader,
    videos.map(({ id }) => id),
  );
  const numbers = [...states.values()].map(({ number }) => number);
  const [tags, seen, links] = await Promise.all([
    tagCatalogue.readFor(rank),
    restrictedTags.listShown(rank, numbers),
    videoRepository.readTagLinks(database.reader, numbers),
  ]);
  return {
    videos: videos.map(({ id, rendition }): CheckedVideo => {
      const found = states.get(id);
      if (found === undefined || found.isMissing || !seen.has(found.number)) return { id, state: 'gone', tag_ids: [] };
      if (found.isHidden) return { id, state: 'hidden', tag_ids: [] };
      const tagIds = (links.get(found.number) ?? []).flatMap(({ tagNumber }) => tags.byNumber.get(tagNumber)?.id ?? []);
      const isInPlan = rendition !== 'hd' || lines === Number.POSITIVE_INFINITY;
      const names = { path: places.pathOf(found), title: titleOf(found) };
      return { id, state: isInPlan ? 'fine' : 'not_in_plan', tag_ids: tagIds, ...names };
    }),
  };
}
