import { savesData } from '#app/platform/capabilities.ts';
import { buildAddress, canStart } from '#app/platform/http/address.ts';
import { callCached } from '#app/platform/http/call-cached.ts';
import { withinLimit } from '#app/platform/http/time-limit.ts';
import { viewerMark } from '#app/platform/http/token-store.ts';
import { renditionOf, toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import { warmBytes } from '#app/playback/warm-bytes.ts';
import { isInFilter } from '#app/state/quadrant-filters.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { loadFavourites } from '#app/state/video-sets.ts';
import { shownHere } from '#app/state/watched-log.ts';
import { listVideosByTags } from '#contract/endpoints.ts';
import type { VideoList, VideosByTagsQuery } from '#contract/entities/tagging.ts';
import type { Video } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { filterCache } from '#device/filter-cache.ts';
import { now } from '#device/timers.ts';
import { addressOf } from '../../../playback/player/video-element.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import type { SupplyRequest } from './pick-request.ts';

/**
 * Tries before a preloaded or a shown video is drawn: while the server is unreachable, few other
 * videos have their first bytes in the browser's cache.
 */
const maxTries = 3;
/** The browser's cache most likely has the bytes of this many videos that were shown last. */
const recentlyShown = 12;

/** When each list was requested, in epoch milliseconds. */
const askedAt = new Map<string, number>();

/** Ids of videos whose first bytes were fetched into the browser's cache. */
const preloaded = new Set<string>();
/** Videos waiting to be preloaded, for all quadrants. */
let waiting: Video[] = [];
let isPreloading = false;

/**
 * Caches the list of this filter and preloads its first videos, at most once per
 * `filterCacheMinutes`.
 */
export async function cacheList(filter: TagFilter): Promise<void> {
  const key = `${viewerMark()} ${listAddressOf(filter)}`;
  const age = now() - (askedAt.get(key) ?? Number.NEGATIVE_INFINITY);
  if (age >= 0 && age < limits.filterCacheMinutes * 60_000) return;
  if (askedAt.size >= limits.filterCacheEntries) askedAt.clear();
  askedAt.set(key, now());
  try {
    await knowSets(filter);
    const { reply } = await callCached(listVideosByTags, queryOf(filter));
    preloadFirst(reply.videos, filter);
  } catch {
    // The next pick tries again.
    askedAt.delete(key);
  }
}

/**
 * Fetches the first bytes of a list's first videos, one video at a time, while a connection is free
 * (§9). Does nothing in data-saving mode.
 */
function preloadFirst(videos: readonly Video[], filter: TagFilter): void {
  if (savesData()) return;
  const first = firstOfList(videos, { filter, blockedTagIds: blockedTagIds(), now: now() }, limits.preloadedVideos);
  waiting.push(...first.filter(({ id }) => !preloaded.has(id)));
  // When filters change often, only the latest ones are preloaded.
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
 * Picks a video from this viewer's cached lists that can start: the first of a few random ones
 * whose first bytes are available, or else a preloaded one, or one that was shown lately.
 */
export async function drawCached(request: SupplyRequest): Promise<FeedVideo | null> {
  await knowSets(request.filter);
  const tried: string[] = [];
  const shown = [...(await shownHere())].slice(-recentlyShown);
  for (const among of [...Array.from({ length: maxTries }, () => undefined), preloaded, new Set(shown)]) {
    const video = request.signal.aborted ? null : await drawOne(request, tried, among);
    if (!video && among === undefined) return null;
    if (video && (await hasFirstBytes(video.url, request.signal))) return video;
    if (video) tried.push(video.id);
  }
  return null;
}

/** Videos count as no favourites where these are not known. */
async function knowSets({ tagIds }: TagFilter): Promise<void> {
  if (tagIds.includes('is:favourite')) await loadFavourites().catch(() => {});
}

/** Draws from the filter's own list, or from any list with matching videos. */
async function drawOne(
  { filter, excluded }: SupplyRequest,
  tried: readonly string[],
  among?: ReadonlySet<string>,
): Promise<FeedVideo | null> {
  const mark = viewerMark();
  if (mark === null) return null;
  const shown = settings.shuffle === 'random' ? new Set<string>() : await shownHere();
  const rest = { filter, blockedTagIds: blockedTagIds(), excluded, tried, shown, now: now() };
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
  /** Ids to avoid as long as other videos match. */
  excluded: readonly string[];
  /** Ids that could not start and are not drawn again. */
  tried: readonly string[];
  /** Ids that come only when no others are left. */
  shown: ReadonlySet<string>;
  /** Epoch milliseconds. */
  now: number;
  /** A random number from 0 to below 1. */
  random: number;
}

/**
 * Draws one of the matching videos that were not shown, all with the same probability, or else of
 * the shown ones; null when none matches.
 */
export function drawFromList(videos: readonly Video[], draw: Draw): FeedVideo | null {
  const matching = videos.filter((video) => isPlayable(video, draw.now) && isWanted(video, draw));
  const untried = matching.filter(({ id }) => !draw.tried.includes(id));
  const fresh = untried.filter(({ id }) => !draw.excluded.includes(id));
  const unseen = fresh.filter(({ id }) => !draw.shown.has(id));
  const drawn = [unseen, fresh].find((found) => found.length > 0) ?? untried;
  const video = drawn[Math.floor(draw.random * drawn.length)];
  return video ? { ...toPlayableVideo(video, renditionOf(video.url)), matching: matching.length } : null;
}

/** The first `count` matching videos that are playable, in the order of the list. */
function firstOfList(
  videos: readonly Video[],
  { filter, blockedTagIds, now }: Pick<Draw, 'filter' | 'blockedTagIds' | 'now'>,
  count: number,
): Video[] {
  const wanted = videos.filter((video) => isPlayable(video, now) && isWanted(video, { filter, blockedTagIds }));
  return wanted.slice(0, count);
}

function isWanted(video: Video, { filter, blockedTagIds }: Pick<Draw, 'filter' | 'blockedTagIds'>): boolean {
  return isInFilter(toPlayableVideo(video, 'source'), filter, blockedTagIds);
}

/** Whether a listed video is available and its signed URL has not expired. */
function isPlayable({ available, url }: Video, now: number): boolean {
  return available && canStart(url, now) === true;
}

/**
 * Whether a stream's first bytes are available, from the server or the browser's cache. Without
 * them a media element reports that it cannot play the video, and does not name the network as the
 * cause.
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
