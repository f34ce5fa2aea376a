import { readChannelsOf } from '#app/state/channels.ts';
import { applyFilter, changeFilter, quadrantFilters } from '#app/state/quadrant-filters.ts';
import { changedOnServer } from '#app/state/revision.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { isSetId, keepExisting } from '#contract/rules/tag-filter.ts';

/** Looks again after each change of channels. Returns a function that stops it. */
export function watchVanishedChannels(): () => void {
  return changedOnServer.tags.listen(() => void dropVanishedChannels());
}

/**
 * Removes channels that no longer exist from the four filters, and clears a filter that loses all
 * of them. Renamed and merged ones are shown as what they are now.
 */
export async function dropVanishedChannels(): Promise<void> {
  await Promise.all(quadrants.map(dropVanishedOf));
}

async function dropVanishedOf(quadrant: Quadrant): Promise<void> {
  const filter = quadrantFilters[quadrant];
  const ids = filter.tagIds.filter((id) => !isSetId(id));
  if (ids.length === 0) return;
  // The filter stays if no answer comes: the server ignores missing channels.
  const existing = await readChannelsOf(ids).catch(() => null);
  // Another filter may have been applied meanwhile.
  if (existing && quadrantFilters[quadrant] === filter) dropVanishedTags(quadrant, existing);
}

/**
 * Drops tags that no longer exist from a filter (§5 Tag filter), and gives the others their present
 * names. A merged one becomes the tag that it went into. The quadrant draws anew if one is dropped.
 * @param existing what the tags of the filter are by now
 */
export function dropVanishedTags(quadrant: Quadrant, existing: readonly TagLabel[]): void {
  const { tagIds: before, mode, labels: old = [] } = quadrantFilters[quadrant];
  const ids = existing.map(({ id }) => id);
  const tagIds = [...new Set([...keepExisting(before, new Set(ids)), ...ids])];
  const sets = old.filter(({ id }) => isSetId(id));
  const labels = [...sets, ...existing.map(({ id, name, color }) => ({ id, name, color }))];
  if (tagIds.length < before.length) applyFilter(quadrant, { tagIds, mode, labels });
  else changeFilter(quadrant, { tagIds, labels });
}
