import { savesData } from '#app/platform/capabilities.ts';
import { buildAddress, canStart } from '#app/platform/http/address.ts';
import { callCached } from '#app/platform/http/call-cached.ts';
import { withinLimit } from '#app/platform/http/time-limit.ts';
import { viewerMark } from '#app/platform/http/token-store.ts';
import { now } from '#app/platform/timers.ts';
import { renditionOf, toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import { warmBytes } from '#app/playback/warm-bytes.ts';
import { session } from '#app/state/session.ts';
import { listVideosByTags } from '#contract/endpoints.ts';
import type { VideoList, VideosByTagsQuery } from '#contract/entities/tagging.ts';
import type { Video } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { joinIds, matchesFilter } from '#contract/rules/tag-filter.ts';
import { filterCache } from '#device/filter-cache.ts';
import { addressOf } from '../../../playback/player/video-element.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import type { PickRequest } from './pick-request.ts';

/** While the server is away, few videos have their first bytes in the browser's cache. */
const maxTries = 3;

/** When each list was asked for, in epoch milliseconds. */
const askedAt = new Map<string, number>();

/** Ids of videos whose first bytes the browser was given to keep. */
const preloaded = new Set<string>();
/** Videos that wait to be preloaded, of all quadrants. */
let waiting: Video[] = [];
let isPreloading = false;

/** Has the list of this filter cached and its first videos preloaded, at most once in `filterCacheMinutes`. */
export async function cacheList(filter: TagFilter): Promise<void> {
  const key = `${viewerMark()} ${listAddressOf(filter)}`;
  const age = now() - (askedAt.get(key) ?? Number.NEGATIVE_INFINITY);
  if (age >= 0 && age < limits.filterCacheMinutes * 60_000) return;
  if (askedAt.size >= limits.filterCacheEntries) askedAt.clear();
  askedAt.set(key, now());
  try {
    const { reply } = await callCached(listVideosByTags, queryOf(filter));
    preloadFirst(reply.videos, filter);
  } catch {
    // The next pick asks again.
    askedAt.delete(key);
  }
}

/**
 * Fetches the first bytes of the first videos of a list, one video at a time, while a connection is free (§9). Nothing
 * where the viewer counts bytes.
 */
function preloadFirst(videos: readonly Video[], filter: TagFilter): void {
  if (savesData()) return;
  const first = firstOfList(videos, { filter, blockedTagIds: blockedTagIds(), now: now() }, limits.preloadedVideos);
  waiting.push(...first.filter(({ id }) => !preloaded.has(id)));
  // Of filters that are changed all the time the latest count.
  waiting = waiting.slice(-quadrants.length * limits.preloadedVideos);
  preloadNext();
}

function preloadNext(): void {
  const video = isPreloading ? undefined : waiting.shift();
  if (!video) return;
  isPreloading = true;
  warmBytes(video.url, (isWarm) => {
    isPreloading = false;
    if (isWarm) preloaded.add(video.id);
    preloadNext();
  });
}

/**
 * A video out of this viewer's cached lists that can start: of some that are drawn, the first one that has bytes; else
 * one that was preloaded.
 */
export async function drawCached(request: PickRequest): Promise<FeedVideo | null> {
  const tried: string[] = [];
  while (tried.length < maxTries && !request.signal.aborted) {
    const video = await drawOne(request, tried);
    if (!video) return null;
    if (await hasFirstBytes(video.url, request.signal)) return video;
    tried.push(video.id);
  }
  const video = request.signal.aborted || preloaded.size === 0 ? null : await drawOne(request, tried, preloaded);
  return video && (await hasFirstBytes(video.url, request.signal)) ? video : null;
}

/** Out of the filter's own list, or of any that has videos for it. */
async function drawOne(
  { filter, excluded }: PickRequest,
  tried: readonly string[],
  among?: ReadonlySet<string>,
): Promise<FeedVideo | null> {
  const mark = viewerMark();
  if (mark === null) return null;
  const rest = { filter, blockedTagIds: blockedTagIds(), excluded, tried, now: now() };
  const draw = (body: string) => {
    const videos = videosOf(body).filter(({ id }) => among?.has(id) ?? true);
    return drawFromList(videos, { ...rest, random: Math.random() });
  };
  const own = await filterCache.read(mark, listAddressOf(filter));
  return (own && draw(own.body)) ?? filterCache.find(mark, listVideosByTags.path, draw);
}

function blockedTagIds(): readonly string[] {
  return session.user?.settings.blocked_tag_ids ?? [];
}

function queryOf({ tagIds, mode }: TagFilter): VideosByTagsQuery {
  return { tag_ids: joinIds(tagIds), filter_mode: mode, limit: limits.filterCacheVideos };
}

function listAddressOf(filter: TagFilter): string {
  return buildAddress(listVideosByTags.path, undefined, queryOf(filter));
}

function videosOf(body: string): VideoList['videos'] {
  return (JSON.parse(body) as VideoList).videos;
}

interface Draw {
  filter: TagFilter;
  blockedTagIds: readonly string[];
  /** Ids that are avoided as long as others match. */
  excluded: readonly string[];
  /** Ids that could not start: they are not drawn. */
  tried: readonly string[];
  /** Epoch milliseconds. */
  now: number;
  /** From 0 to below 1. */
  random: number;
}

/** One of the videos that match, each with the same chance; null when none does. */
export function drawFromList(videos: readonly Video[], draw: Draw): FeedVideo | null {
  const matching = videos.filter((video) => isPlayable(video, draw.now) && isWanted(video, draw));
  const untried = matching.filter(({ id }) => !draw.tried.includes(id));
  const fresh = untried.filter(({ id }) => !draw.excluded.includes(id));
  const drawn = fresh.length > 0 ? fresh : untried;
  const video = drawn[Math.floor(draw.random * drawn.length)];
  return video ? { ...toPlayableVideo(video, renditionOf(video.url)), matching: matching.length } : null;
}

/** Of the videos that match, in their order, so many that could be played. */
function firstOfList(
  videos: readonly Video[],
  { filter, blockedTagIds, now }: Pick<Draw, 'filter' | 'blockedTagIds' | 'now'>,
  count: number,
): Video[] {
  const wanted = videos.filter((video) => isPlayable(video, now) && isWanted(video, { filter, blockedTagIds }));
  return wanted.slice(0, count);
}

function isWanted({ tags }: Video, { filter, blockedTagIds }: Pick<Draw, 'filter' | 'blockedTagIds'>): boolean {
  return matchesFilter(new Set(tags.map(({ id }) => id)), filter, blockedTagIds);
}

/** The address of a stored video was signed when its list was answered. */
function isPlayable({ available, url }: Video, now: number): boolean {
  return available && canStart(url, now) === true;
}

/**
 * Whether a stream's first bytes can be had, from the server or the browser's cache. Without them a media element
 * reports that it cannot play the video, and does not say that the network is to blame.
 */
async function hasFirstBytes(url: string, signal: AbortSignal): Promise<boolean> {
  const headers = { range: `bytes=0-${limits.pieceMinBytes - 1}` };
  const read = async (own: AbortSignal) => {
    const response = await fetch(addressOf(url), { headers, signal: own });
    await response.arrayBuffer();
    return response.ok;
  };
  return withinLimit({ seconds: limits.preloadTimeoutSeconds, signal }, read).catch(() => false);
}
