import { localStore } from '../platform/capabilities.ts';

/** Where the filters of the four quadrants are kept. */
export const savedFiltersKey = 'fourfold.filters';

/** Whether a quadrant is filtered: what is drawn for everybody does not fit it then. */
export function hasSavedFilters(): boolean {
  try {
    return (localStore()?.getItem(savedFiltersKey) ?? null) !== null;
  } catch {
    // Closed to this site: nothing is kept there.
    return false;
  }
}

/** §4 Auth: who comes or goes starts without the filters of whoever was here before. */
export function clearSavedFilters(): void {
  try {
    localStore()?.removeItem(savedFiltersKey);
  } catch {
    // Closed to this site: nothing is kept there.
  }
}
