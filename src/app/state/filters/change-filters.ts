import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { localStore } from '../../platform/capabilities.ts';
import { now } from '../../platform/timers.ts';
import type { QuadrantFilter } from './quadrant-filters.ts';
import { noFilter, quadrantFilters } from './quadrant-filters.ts';
import type { SavedFilters } from './saved-filters.ts';
import { clearSavedFilters, readSavedFilters, savedFiltersKey } from './saved-filters.ts';

/** Changes what a quadrant draws from, and saves it. Without tags: all videos, and nothing is saved. */
export function applyFilter(quadrant: Quadrant, { tagIds, mode, labels }: QuadrantFilter): void {
  quadrantFilters[quadrant] = { tagIds, mode, labels };
  const { [quadrant]: _, ...others } = readSavedFilters();
  const own = { selectedTags: tagIds, filterMode: mode, labels, timestamp: now() };
  save(tagIds.length === 0 ? others : { ...others, [quadrant]: own });
}

/** §4 Auth: a session starts and ends without the filters of the one before. */
export function clearFilters(): void {
  clearSavedFilters();
  for (const quadrant of quadrants) quadrantFilters[quadrant] = noFilter;
}

function save(filters: SavedFilters): void {
  try {
    if (Object.keys(filters).length === 0) clearSavedFilters();
    else localStore()?.setItem(savedFiltersKey, JSON.stringify(filters));
  } catch {
    // Storage is full or blocked: the filters last as long as the page.
  }
}
