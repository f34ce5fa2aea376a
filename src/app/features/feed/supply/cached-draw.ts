import { canStart } from '#app/platform/http/signed-address.ts';
import { renditionOf, toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import type { Video } from '#contract/entities/video.ts';
import type { TagFilter } from '#contract/rules/tags/tag-filter.ts';
import { matchesFilter } from '#contract/rules/tags/tag-filter.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';

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
export function firstOfList(
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
