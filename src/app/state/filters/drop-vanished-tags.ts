import { quadrants } from '#contract/quadrants.ts';
import { keepExisting } from '#contract/rules/tags/tag-lists.ts';
import { applyFilter } from './change-filters.ts';
import { quadrantFilters } from './quadrant-filters.ts';

/** Drops tags that no longer exist from each filter (§5 Tag filter). A filter that loses none stays as it is. */
export function dropVanishedTags(existing: ReadonlySet<string>): void {
  for (const quadrant of quadrants) {
    const filter = quadrantFilters[quadrant];
    const tagIds = keepExisting(filter.tagIds, existing);
    if (tagIds.length < filter.tagIds.length) applyFilter(quadrant, { ...filter, tagIds });
  }
}
