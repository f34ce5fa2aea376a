import { proxy } from 'valtio/vanilla';
import type { TagLabel } from '#contract/entities/tag.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { matchesFilter, setsOfForm } from '#contract/rules/tag-filter.ts';
import { now } from '#device/timers.ts';
import { byQuadrant } from '../../contract/quadrants.ts';
import { localStore } from '../platform/capabilities.ts';
import type { PlayableVideo } from '../playback/quality/playable-video.ts';
import type { SavedFilters } from './saved-filters.ts';
import { clearSavedFilters, hasSavedFilters, readSavedFilters, savedFiltersKey } from './saved-filters.ts';

/** A quadrant's filter. `labels` are the tags as the chips show them. */
export interface QuadrantFilter extends TagFilter {
  labels?: readonly TagLabel[] | undefined;
}

/** The filter that matches all videos. */
export const noFilter: QuadrantFilter = { tagIds: [], mode: 'OR' };

/** The viewer's favourites, as far as they are known: `video-sets.ts` reads them. */
export const favouriteIds = new Set<string>();

type FilteredVideo = Pick<PlayableVideo, 'id' | 'tagIds' | 'durationSeconds' | 'width' | 'height'>;

/** Whether a filter may draw a video, as far as this device knows. */
export function isInFilter(video: FilteredVideo, filter: TagFilter, blockedTagIds: readonly string[] = []): boolean {
  const ids = new Set([...video.tagIds, ...setsOfForm(video)]);
  if (favouriteIds.has(video.id)) ids.add('is:favourite');
  return matchesFilter(ids, filter, blockedTagIds);
}

/** The filter of each quadrant. */
export const quadrantFilters = proxy<Record<Quadrant, QuadrantFilter>>(byQuadrant(() => noFilter));

/** Applies the saved filters of this device. Must be called before the first pick. */
export function restoreFilters(): void {
  if (!hasSavedFilters()) return;
  const saved = readSavedFilters();
  for (const quadrant of quadrants) {
    const own = saved[quadrant];
    quadrantFilters[quadrant] = own ? { tagIds: own.selectedTags, mode: own.filterMode, labels: own.labels } : noFilter;
  }
  // The next start may show the unfiltered first videos again.
  if (Object.keys(saved).length === 0) clearSavedFilters();
}

/**
 * Changes a quadrant's filter, and saves it. A filter without tags matches all videos, and is not
 * saved.
 */
export function applyFilter(quadrant: Quadrant, { tagIds, mode, labels }: QuadrantFilter): void {
  quadrantFilters[quadrant] = { tagIds, mode, labels };
  const { [quadrant]: _, ...others } = readSavedFilters();
  const own = { selectedTags: tagIds, filterMode: mode, labels, timestamp: now() };
  save(tagIds.length === 0 ? others : { ...others, [quadrant]: own });
}

/** Names the same channels otherwise: the quadrant plays on, and the filter is as old as before. */
export function changeFilter(quadrant: Quadrant, change: Omit<QuadrantFilter, 'mode'>): void {
  Object.assign(quadrantFilters[quadrant], change);
  const saved = readSavedFilters();
  const { [quadrant]: own } = saved;
  const { tagIds: selectedTags, labels } = change;
  if (own) save({ ...saved, [quadrant]: { ...own, selectedTags, labels } });
}

/** Clears all filters: a session starts and ends without those of the previous one (§4 Auth). */
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
