import { limits } from '#contract/limits.ts';

/** How the tags of a filter combine: any of them, or all of them (§5 Tag filter). */
export const filterModes = ['OR', 'AND'] as const;

export type FilterMode = (typeof filterModes)[number];

/** Ids joined by commas, as a query carries them. */
export function joinIds(ids: readonly string[]): string {
  return ids.join(',');
}

/** The filter that limits the videos of one quadrant. */
export interface TagFilter {
  tagIds: readonly string[];
  mode: FilterMode;
}

/**
 * Whether a video with these tags may be picked. A filter without tags matches all videos. A
 * blocked tag overrides a selected one (§4 Picking).
 */
export function matchesFilter(
  videoTagIds: ReadonlySet<string>,
  filter: TagFilter,
  blockedTagIds: readonly string[],
): boolean {
  if (blockedTagIds.some((id) => videoTagIds.has(id))) return false;
  if (filter.tagIds.length === 0) return true;
  const isOnVideo = (id: string) => videoTagIds.has(id);
  return filter.mode === 'AND' ? filter.tagIds.every(isOnVideo) : filter.tagIds.some(isOnVideo);
}

/**
 * Saved filters expire after a day (§9). Both are epoch milliseconds; a time in the future counts
 * as expired.
 */
export function isSavedFilterAlive(savedAt: number, now: number): boolean {
  const age = now - savedAt;
  return age >= 0 && age < limits.savedFilterHours * 3_600_000;
}
