import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/http-error.ts';
import { dropVanishedTags } from '#app/state/filters/drop-vanished-tags.ts';
import { quadrantFilters } from '#app/state/filters/quadrant-filters.ts';
import { listTags, readTag } from '#contract/endpoints.ts';
import type { TagList } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';

/** The first active channels by name. */
export function readChannels(search = '', signal?: AbortSignal): Promise<TagList> {
  const query = { sort_by: 'name', sort_order: 'asc', limit: `${limits.tagListLimit}` } as const;
  return call(listTags, { query: { ...query, ...(search && { search }) }, signal });
}

/** Takes channels that no longer exist out of the four filters; a filter that loses all of them goes. */
export async function dropVanishedChannels(): Promise<void> {
  try {
    const { tags, total } = await readChannels();
    const existing = new Set(tags.map(({ id }) => id));
    const unlisted = filteredIds().filter((id) => !existing.has(id));
    if (total > tags.length) for (const id of unlisted) if (await isStillThere(id)) existing.add(id);
    dropVanishedTags(existing);
  } catch {
    // Not known now: the server passes over channels that are gone.
  }
}

function filteredIds(): string[] {
  const ids = quadrants.flatMap((quadrant) => quadrantFilters[quadrant].tagIds);
  return [...new Set(ids)];
}

/** @throws what is no answer about this channel */
async function isStillThere(id: string): Promise<boolean> {
  try {
    return (await call(readTag, { params: { id } })).tag.active;
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return false;
    throw error;
  }
}
