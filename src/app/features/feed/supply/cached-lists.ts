import { buildAddress } from '#app/platform/http/address.ts';
import { callCached } from '#app/platform/http/call-cached.ts';
import { now } from '#app/platform/timers.ts';
import { viewerMark } from '#app/platform/tokens/viewer-mark.ts';
import { hasFirstBytes } from '#app/playback/network/first-bytes.ts';
import { session } from '#app/state/session.ts';
import { listVideosByTags } from '#contract/endpoints.ts';
import type { VideoList, VideosByTagsQuery } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import type { TagFilter } from '#contract/rules/tags/tag-filter.ts';
import { joinIds } from '#contract/rules/tags/tag-filter.ts';
import { filterCache } from '#device/filter-cache.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import { drawFromList } from './cached-draw.ts';
import type { PickRequest } from './video-source.ts';

/** While the server is away, few videos have their first bytes in the browser's cache. */
const maxTries = 3;

/** When each list was asked for, in epoch milliseconds. */
const askedAt = new Map<string, number>();

/** Has the list of this filter cached, at most once in `filterCacheMinutes`. */
export async function cacheList(filter: TagFilter): Promise<void> {
  const key = `${viewerMark()} ${addressOf(filter)}`;
  const age = now() - (askedAt.get(key) ?? Number.NEGATIVE_INFINITY);
  if (age >= 0 && age < limits.filterCacheMinutes * 60_000) return;
  if (askedAt.size >= limits.filterCacheEntries) askedAt.clear();
  askedAt.set(key, now());
  try {
    await callCached(listVideosByTags, queryOf(filter));
  } catch {
    // The next pick asks again.
    askedAt.delete(key);
  }
}

/** A video out of this viewer's cached lists that can start: of some that are drawn, the first one that has bytes. */
export async function drawCached(request: PickRequest): Promise<FeedVideo | null> {
  const tried: string[] = [];
  while (tried.length < maxTries && !request.signal.aborted) {
    const video = await drawOne(request, tried);
    if (!video) return null;
    if (await hasFirstBytes(video.url, request.signal)) return video;
    tried.push(video.id);
  }
  return null;
}

/** Out of the filter's own list, or of any that has videos for it. */
async function drawOne({ filter, excluded }: PickRequest, tried: readonly string[]): Promise<FeedVideo | null> {
  const mark = viewerMark();
  if (mark === null) return null;
  const blockedTagIds = session.user?.settings.blocked_tag_ids ?? [];
  const draw = (body: string) =>
    drawFromList(videosOf(body), { filter, blockedTagIds, excluded, tried, now: now(), random: Math.random() });
  const own = await filterCache.read(mark, addressOf(filter));
  return (own && draw(own.body)) ?? filterCache.find(mark, listVideosByTags.path, draw);
}

function queryOf({ tagIds, mode }: TagFilter): VideosByTagsQuery {
  return { tag_ids: joinIds(tagIds), filter_mode: mode, limit: limits.filterCacheVideos };
}

function addressOf(filter: TagFilter): string {
  return buildAddress(listVideosByTags.path, undefined, queryOf(filter));
}

function videosOf(body: string): VideoList['videos'] {
  return (JSON.parse(body) as VideoList).videos;
}
