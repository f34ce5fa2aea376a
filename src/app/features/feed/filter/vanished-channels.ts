import { dropVanishedTags, findChannel, readChannels } from '#app/state/channels.ts';
import { quadrantFilters } from '#app/state/quadrant-filters.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { quadrants } from '#contract/quadrants.ts';
import { isSetId } from '#contract/rules/tag-filter.ts';

/** Looks again after each change of channels. Returns a function that stops it. */
export function watchVanishedChannels(): () => void {
  return changedOnServer.tags.listen(() => void (filteredIds().length > 0 && dropVanishedChannels()));
}

/**
 * Removes channels that no longer exist from the four filters, and clears a filter that loses all
 * of them. A cached list is not used, because it lacks channels created later.
 */
export async function dropVanishedChannels(): Promise<void> {
  try {
    const { tags, total, cachedAt } = await readChannels();
    if (cachedAt !== null) return;
    const existing = new Set(tags.map(({ id }) => id));
    const unlisted = filteredIds().filter((id) => !existing.has(id));
    if (total > tags.length) for (const id of unlisted) if (await findChannel(id)) existing.add(id);
    dropVanishedTags(existing);
  } catch {
    // The filters stay: the server ignores missing channels.
  }
}

function filteredIds(): string[] {
  const ids = quadrants.flatMap((quadrant) => quadrantFilters[quadrant].tagIds);
  return [...new Set(ids)].filter((id) => !isSetId(id));
}
