import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { pathParamsSchema, pathTagParamsSchema } from '#contract/entities/fields.ts';
import type { AllTaggingList, TaggedVideo, TaggingList } from '#contract/entities/tagging.ts';
import { allTaggingQuerySchema, tagAssignmentSchema, taggingQuerySchema } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Env } from '../../env.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { rankOf } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import { newestOf } from '../../id-sets/picker.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { Ids } from '../../ids.ts';
import type { BrowseDeps } from '../browse/list-videos.ts';
import { readCards, toSearchDeps } from '../browse/list-videos.ts';
import { searchVideos } from '../browse/search-videos.ts';
import type { TagsByName } from '../tags/tag-catalogue.ts';
import type { WriteTags } from '../tags/write-tags.ts';
import { tagEditor } from '../tags/write-tags.ts';
import type { Audience } from '../videos/audience.ts';
import { audienceOf } from '../videos/audience.ts';
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

interface TaggingRequest {
  /** Only spaces: every video. */
  search: string;
  isUntaggedOnly: boolean;
  isUntaggedFirst: boolean;
  page: number;
  limit: number;
  audience: Audience;
  signal?: AbortSignal | undefined;
}

/**
 * A page of available videos to tag, newest first. The id sets select and count, and the name index
 * searches. Rows and tags of the page take one query each. Blocklists do not apply.
 */
export async function readTaggingPage(deps: BrowseDeps, request: TaggingRequest): Promise<TaggingList> {
  const { page, limit, audience } = request;
  const tags = await deps.tagCatalogue.readFor(audience.rank);
  const all = await selectSeen(deps, audience);
  const { numbers, total } = await findPage(deps, tags, all, request);
  const counts = countVideos(deps.idSets, all);
  const videos = (await readCards(deps, numbers, tags, audience)).map(toTagged);
  return { videos, total, total_pages: lastPageOf(total, limit), page, limit, counts };
}

/** The newest matching videos, as many as one reply holds. */
async function readAllTagging(
  deps: BrowseDeps,
  request: Pick<TaggingRequest, 'search' | 'isUntaggedOnly' | 'audience' | 'signal'>,
): Promise<AllTaggingList> {
  const tags = await deps.tagCatalogue.readFor(request.audience.rank);
  const all = await selectSeen(deps, request.audience);
  const whole = { ...request, isUntaggedFirst: false, page: 1, limit: limits.taggingAllVideos };
  const { numbers, total } = await findPage(deps, tags, all, whole);
  const videos: TaggedVideo[] = [];
  for (let from = 0; from < numbers.length; from += inListLength) {
    const some = numbers.slice(from, from + inListLength);
    videos.push(...(await readCards(deps, some, tags, request.audience)).map(toTagged));
    await letOthersRun();
    request.signal?.throwIfAborted();
  }
  return { videos, total, truncated: total > numbers.length };
}

interface NumberPage {
  numbers: readonly number[];
  total: number;
}

async function findPage(
  deps: BrowseDeps,
  tags: TagsByName,
  everything: TagSelection,
  { search, isUntaggedOnly, isUntaggedFirst, page, limit, signal }: Omit<TaggingRequest, 'audience'>,
): Promise<NumberPage> {
  const { idSets } = deps;
  const untagged = { ...everything, isUntagged: true };
  const tagged = { ...everything, isUntagged: false };
  const parts = isUntaggedOnly ? [untagged] : isUntaggedFirst ? [untagged, tagged] : [everything];
  const range = { offset: (page - 1) * limit, limit };
  if (search === '') return pageThrough(range, parts, (part, offset, length) => idSets.page(part, offset, length));
  return deps.searches.run(async () => {
    const selection = isUntaggedOnly ? untagged : everything;
    const found = await searchVideos(toSearchDeps(deps, signal), selection, search, tags.list);
    const readPart: ReadPart = (part, offset, length) => {
      const numbers = idSets.within(part, [found]);
      const read = { numbers: newestOf(numbers, offset, length), total: numbers.size };
      numbers.dispose();
      return read;
    };
    try {
      return pageThrough(range, parts, readPart);
    } finally {
      found.dispose();
    }
  }, signal);
}

type ReadPart = (part: TagSelection, offset: number, limit: number) => NumberPage;

/** Pages through disjoint selections, one after the other. */
function pageThrough(
  { offset, limit }: { offset: number; limit: number },
  parts: readonly TagSelection[],
  read: ReadPart,
): NumberPage {
  const numbers: number[] = [];
  let total = 0;
  for (const part of parts) {
    const page = read(part, Math.max(0, offset - total), limit - numbers.length);
    numbers.push(...page.numbers);
    total += page.total;
  }
  return { numbers, total };
}

/** All videos that a viewer sees. */
async function selectSeen({ restrictedTags }: BrowseDeps, { rank }: Audience): Promise<TagSelection> {
  return { tags: [], mode: 'OR', blocked: [], restrictedFrom: await restrictedTags.from(rank) };
}

function countVideos(idSets: Pick<IdSets, 'count'>, everything: TagSelection): TaggingList['counts'] {
  const [total, withoutTags] = [idSets.count(everything), idSets.count({ ...everything, isUntagged: true })];
  return { untagged: withoutTags, tagged: total - withoutTags, total };
}

function toTagged(video: TaggedVideo['video']): TaggedVideo {
  return { video, tags: video.tags };
}
