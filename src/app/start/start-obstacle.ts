import { refreshToken } from '../platform/tokens/token-store.ts';
import { readLearned } from '../playback/budget/learned-device.ts';
import { readSavedFilters } from '../state/filters/saved-filters.ts';
import type { PicksRequest } from './handover.ts';

/**
 * The first two make the draw somebody else's; with too few decoders the draw holds, and not all four can be shown at
 * once.
 */
type StartObstacle = 'signed-in' | 'saved-filters' | 'few-decoders';

/** Why the page must not show the four videos of a draw; null: it may. */
export function startObstacle({ filters }: PicksRequest): StartObstacle | null {
  if (refreshToken() !== null) return 'signed-in';
  if (!filters && Object.keys(readSavedFilters()).length > 0) return 'saved-filters';
  return readLearned('decoders') === null ? null : 'few-decoders';
}
