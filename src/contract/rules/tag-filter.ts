import { limits } from '#contract/limits.ts';

/** How the tags of a filter combine: any of them, or all of them (§5 Tag filter). */
export const filterModes = ['OR', 'AND'] as const;

export type FilterMode = (typeof filterModes)[number];

/** Ids as they travel in a query: joined by commas. */
export function joinIds(ids: readonly string[]): string {
  return ids.join(',');
}

/** What one quadrant draws from. */
export interface TagFilter {
  tagIds: readonly string[];
  mode: FilterMode;
}

/**
 * Whether a video with these tags may be drawn. No tags in the filter: all of them. A blocked tag beats a selected one
 * (§4 Picking).
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

/** Saved filters live for a day (§9). Both are epoch milliseconds; a time in the future is not believed. */
export function isSavedFilterAlive(savedAt: number, now: number): boolean {
  const age = now - savedAt;
  return age >= 0 && age < limits.savedFilterHours * 3_600_000;
}
