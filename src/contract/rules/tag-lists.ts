import { limits } from '#contract/limits.ts';
import { isSetId } from './tag-filter.ts';

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

/** Whether no person has tagged a video: tags from its folder do not count. */
export function isUntagged(tags: readonly { readonly by_folder?: true | undefined }[]): boolean {
  return tags.every((tag) => tag.by_folder === true);
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
