import { refreshToken } from '../platform/tokens/token-store.ts';
import { readLearnedDecoders } from '../playback/budget/learned-decoders.ts';
import { hasSavedFilters } from '../state/filters/saved-filters.ts';

/**
 * The first two make the draw somebody else's; with too few decoders the draw holds, and not all four can be shown at
 * once.
 */
type StartObstacle = 'signed-in' | 'saved-filters' | 'few-decoders';

/** Why the page must not show the four videos that are drawn for everybody; null: it may. */
export function startObstacle(): StartObstacle | null {
  if (refreshToken() !== null) return 'signed-in';
  if (hasSavedFilters()) return 'saved-filters';
  return readLearnedDecoders() === null ? null : 'few-decoders';
}
