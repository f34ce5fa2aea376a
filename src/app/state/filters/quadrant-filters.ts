import { proxy } from 'valtio/vanilla';
import type { TagLabel } from '#contract/entities/tag.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tags/tag-filter.ts';
import { byQuadrant } from '../../playback/by-quadrant.ts';
import { clearSavedFilters, hasSavedFilters, readSavedFilters } from './saved-filters.ts';

/** `labels`: what the chips show of its tags. */
export interface QuadrantFilter extends TagFilter {
  labels?: readonly TagLabel[] | undefined;
}

/** All videos. */
export const noFilter: QuadrantFilter = { tagIds: [], mode: 'OR' };

/** What each quadrant draws from. Changed by `change-filters.ts`. */
export const quadrantFilters = proxy<Record<Quadrant, QuadrantFilter>>(byQuadrant(() => noFilter));

/** To be called before the first pick: the saved filters of this device apply from then on. */
export function restoreFilters(): void {
  if (!hasSavedFilters()) return;
  const saved = readSavedFilters();
  for (const quadrant of quadrants) {
    const own = saved[quadrant];
    quadrantFilters[quadrant] = own ? { tagIds: own.selectedTags, mode: own.filterMode, labels: own.labels } : noFilter;
  }
  // The next start may show the draw for everybody again.
  if (Object.keys(saved).length === 0) clearSavedFilters();
}
