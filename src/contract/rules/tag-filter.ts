import { limits } from '#contract/limits.ts';

/** How the tags of a filter combine: any of them, or all of them (§5 Tag filter). */
export const filterModes = ['OR', 'AND'] as const;

export type FilterMode = (typeof filterModes)[number];

/** Ids joined by commas, as a query carries them. */
export function joinIds(ids: readonly string[]): string {
  return ids.join(',');
}

/**
 * Sets that a filter names by these ids beside its tags: the favourites of the person who asks, and
 * the videos of a length or of a shape.
 */
export const videoSets = ['is:favourite', 'is:short', 'is:medium', 'is:long', 'is:upright', 'is:wide'] as const;

export type VideoSet = (typeof videoSets)[number];

/** Ids of tags have no colon. */
export function isSetId(id: string): boolean {
  return id.startsWith('is:');
}

/** A video's size as displayed, and its duration in seconds; null where unknown. */
interface VideoForm {
  readonly durationSeconds: number | null;
  readonly width: number | null;
  readonly height: number | null;
}

/** The sets of its length and its shape that a video is in. A square one has neither shape. */
export function setsOfForm({ durationSeconds: length, width, height }: VideoForm): VideoSet[] {
  const sets: VideoSet[] = [];
  if (length !== null)
    sets.push(length < limits.shortSeconds ? 'is:short' : length > limits.longSeconds ? 'is:long' : 'is:medium');
  if (width && height && width !== height) sets.push(height > width ? 'is:upright' : 'is:wide');
  return sets;
}

/** The filter that limits the videos of one quadrant. */
export interface TagFilter {
  /** Ids of tags, and of sets, each of which limits the videos whatever the mode. */
  tagIds: readonly string[];
  mode: FilterMode;
}

/**
 * Whether a video with these tags and sets may be picked. A filter without tags matches all videos
 * of its sets. A blocked tag overrides a selected one (§4 Picking).
 */
export function matchesFilter(
  videoTagIds: ReadonlySet<string>,
  filter: TagFilter,
  blockedTagIds: readonly string[],
): boolean {
  const isOnVideo = (id: string) => videoTagIds.has(id);
  const tagIds = filter.tagIds.filter((id) => !isSetId(id));
  if (blockedTagIds.some(isOnVideo) || !filter.tagIds.every((id) => !isSetId(id) || isOnVideo(id))) return false;
  return tagIds.length === 0 || (filter.mode === 'AND' ? tagIds.every(isOnVideo) : tagIds.some(isOnVideo));
}

/**
 * Saved filters expire after a day (§9). Both are epoch milliseconds; a time in the future counts
 * as expired.
 */
export function isSavedFilterAlive(savedAt: number, now: number): boolean {
  const age = now - savedAt;
  return age >= 0 && age < limits.savedFilterHours * 3_600_000;
}

/** The orders in which the videos of a filter can be sorted. */
export const videoSorts = ['newest', 'name', 'recorded', 'longest', 'largest', 'played'] as const;

export type VideoSort = (typeof videoSorts)[number];

export function checkFilterSize(tagIds: readonly string[]): string | null {
  return tagIds.length > limits.filterTags ? `A filter can hold at most ${limits.filterTags} channels` : null;
}

export function checkBlocklistSize(tagIds: readonly string[]): string | null {
  return tagIds.length > limits.blockedTags ? `At most ${limits.blockedTags} channels can be blocked` : null;
}

/** @param count of one person's favourites, with the one that is added */
export function checkFavourites(count: number): string | null {
  return count > limits.favourites ? `At most ${limits.favourites} videos can be favourites` : null;
}

export function checkExcludeSize(videoIds: readonly string[]): string | null {
  return videoIds.length > limits.excludedVideos ? `At most ${limits.excludedVideos} videos can be excluded` : null;
}

export function checkAskedVideos(videoIds: readonly string[]): string | null {
  return videoIds.length > limits.askedVideos ? `At most ${limits.askedVideos} videos can be asked about` : null;
}

export function checkCheckedVideos(videos: readonly unknown[]): string | null {
  return videos.length > limits.checkedVideos ? `At most ${limits.checkedVideos} videos can be checked` : null;
}

export function checkWatched(videoIds: readonly string[]): string | null {
  if (videoIds.length === 0) return 'At least one video is needed';
  return videoIds.length > limits.watchedPerCall
    ? `At most ${limits.watchedPerCall} videos can be reported at once`
    : null;
}

/** Saved filters drop tags that no longer exist (§5 Tag filter). Sets always exist. */
export function keepExisting(tagIds: readonly string[], existing: ReadonlySet<string>): string[] {
  return tagIds.filter((id) => isSetId(id) || existing.has(id));
}

/** The chips that fit, and the number that the '+n' chip shows. */
export function splitChips<Item>(items: readonly Item[], room: number): { shown: Item[]; more: number } {
  return { shown: items.slice(0, room), more: Math.max(0, items.length - room) };
}

/** The ids of a query, without duplicates, in order; blanks between commas are ignored. */
export function splitIds(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== ''))];
}
