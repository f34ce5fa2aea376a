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
