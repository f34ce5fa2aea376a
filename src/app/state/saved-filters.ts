import type { TagLabel } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { FilterMode } from '#contract/rules/tag-filter.ts';
import { filterModes, isSavedFilterAlive } from '#contract/rules/tag-filter.ts';
import { now } from '#device/timers.ts';
import { localStore } from '../platform/capabilities.ts';

/** Storage key of the four quadrants' filters. */
export const savedFiltersKey = 'fourfold.filters';

/** One quadrant's filter as it is stored (§3 Kept in the browser). */
interface SavedFilter {
  selectedTags: readonly string[];
  filterMode: FilterMode;
  /** The tags as the chips show them. */
  labels?: readonly TagLabel[] | undefined;
  /** Epoch milliseconds. */
  timestamp: number;
  /** Venue mode keeps it: it does not expire. */
  isKept?: boolean | undefined;
}

export type SavedFilters = Partial<Record<Quadrant, SavedFilter>>;

/** Whether any quadrant may be filtered: the unfiltered first videos are not used then. */
export function hasSavedFilters(): boolean {
  try {
    return (localStore()?.getItem(savedFiltersKey) ?? null) !== null;
  } catch {
    // Storage is blocked: nothing is stored there.
    return false;
  }
}

/** Reads the valid filters; each one expires after `savedFilterHours`. */
export function readSavedFilters(): SavedFilters {
  const alive: SavedFilters = {};
  try {
    const saved = JSON.parse(localStore()?.getItem(savedFiltersKey) ?? '{}') as SavedFilters;
    for (const quadrant of quadrants) {
      const own = saved[quadrant];
      if (own && isAlive(own)) alive[quadrant] = own;
    }
  } catch {
    // Storage is blocked, or its value is invalid.
  }
  return alive;
}

export function clearSavedFilters(): void {
  try {
    localStore()?.removeItem(savedFiltersKey);
  } catch {
    // Storage is blocked: nothing is stored there.
  }
}

function isAlive({ selectedTags: ids, filterMode, labels = [], timestamp, isKept }: SavedFilter): boolean {
  const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= limits.filterTags;
  return (
    isList &&
    ids.every((id) => typeof id === 'string') &&
    labels.every(isLabel) &&
    filterModes.includes(filterMode) &&
    (isKept === true || isSavedFilterAlive(timestamp, now()))
  );
}

function isLabel({ id, name, color }: TagLabel): boolean {
  return [id, name, color].every((part) => typeof part === 'string');
}
