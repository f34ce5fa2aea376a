import { localStore } from '../platform/capabilities.ts';

/** Storage key of the four quadrants' filters. */
export const savedFiltersKey = 'fourfold.filters';

/** Whether any quadrant may be filtered: the draw for everybody does not fit then. */
export function hasSavedFilters(): boolean {
  try {
    return (localStore()?.getItem(savedFiltersKey) ?? null) !== null;
  } catch {
    // Storage is blocked: nothing is stored there.
    return false;
  }
}

/** §4 Auth: a session starts and ends without the filters of the one before. */
export function clearSavedFilters(): void {
  try {
    localStore()?.removeItem(savedFiltersKey);
  } catch {
    // Storage is blocked: nothing is stored there.
  }
}
