import { limits } from '#contract/limits.ts';

/** How the tags of a filter combine: any of them, or all of them (§5 Tag filter). */
export const filterModes = ['OR', 'AND'] as const;

export type FilterMode = (typeof filterModes)[number];

/** How the videos of a filter can be sorted. */
export const videoSorts = ['newest', 'name'] as const;

/** Ids as they travel in a query: joined by commas. */
export function joinIds(ids: readonly string[]): string {
  return ids.join(',');
}

/** The ids of a query, each once, in order; blanks between commas are no ids. */
export function splitIds(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim());
  return [...new Set(ids.filter((id) => id !== ''))];
}

export function checkFilterSize(tagIds: readonly string[]): string | null {
  return tagIds.length > limits.filterTags ? `A filter can hold at most ${limits.filterTags} channels` : null;
}

export function checkBlocklistSize(tagIds: readonly string[]): string | null {
  return tagIds.length > limits.blockedTags ? `At most ${limits.blockedTags} channels can be blocked` : null;
}

export function checkExcludeSize(videoIds: readonly string[]): string | null {
  return videoIds.length > limits.excludedVideos ? `At most ${limits.excludedVideos} videos can be excluded` : null;
}

export function checkAskedVideos(videoIds: readonly string[]): string | null {
  return videoIds.length > limits.askedVideos ? `At most ${limits.askedVideos} videos can be asked about` : null;
}

/** Saved filters drop tags that no longer exist (§5 Tag filter). */
export function keepExisting(tagIds: readonly string[], existing: ReadonlySet<string>): string[] {
  return tagIds.filter((id) => existing.has(id));
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

/** The chips there is room for, and how many more the '+n' chip stands for. */
export function splitChips<Item>(items: readonly Item[], room: number): { shown: Item[]; more: number } {
  return { shown: items.slice(0, room), more: Math.max(0, items.length - room) };
}
