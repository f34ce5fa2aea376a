import { playerOf } from '#app/playback/player/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { tryLater } from '../supply/quadrant-supply.ts';
import { feed } from './feed-state.ts';

/** Says that the pinned video broke, and loads it once more after 2 s. */
export function reloadPinnedLater(quadrant: Quadrant): void {
  tryLater(quadrant, { failure: 'video-error' }, 'video-error', () => reloadPinned(quadrant));
}

/** Loads the pinned video once more, where it was. */
export function reloadPinned(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  if (!request.shown) return;
  const at = playerOf(quadrant).position;
  Object.assign(request, { failure: null, coming: request.shown, comingAt: at });
  playerOf(quadrant).prepare({ url: request.shown.url, at });
}
