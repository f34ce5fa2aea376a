import { buildAddress } from '#app/platform/http/address.ts';
import { callCached } from '#app/platform/http/call-cached.ts';
import { now } from '#app/platform/timers.ts';
import { viewerMark } from '#app/platform/tokens/viewer-mark.ts';
import { session } from '#app/state/session.ts';
import { listVideosByTags } from '#contract/endpoints.ts';
import type { VideoList, VideosByTagsQuery } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { filterCache } from '#device/filter-cache.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import { drawFromList } from './cached-draw.ts';
import type { PickRequest } from './video-source.ts';

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

/** A video out of the lists that this viewer has cached: the filter's own, or any with videos that match. */
export async function drawCached({ filter, excluded }: PickRequest): Promise<FeedVideo | null> {
  const mark = viewerMark();
  if (mark === null) return null;
  const blockedTagIds = session.user?.settings.blocked_tag_ids ?? [];
  const draw = (body: string) =>
    drawFromList(videosOf(body), { filter, blockedTagIds, excluded, now: now(), random: Math.random() });
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
