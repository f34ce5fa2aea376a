import { playerOf } from '#app/playback/player/player-store.ts';
import { may } from '#app/state/may.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { dropNext, prepareNext, stay } from '../supply/quadrant-supply.ts';
import { feed } from './feed-state.ts';
import { reloadPinnedLater } from './pinned-reload.ts';
import { switchTimers } from './switch-timers.ts';

export function togglePin(quadrant: Quadrant): void {
  if (!may('video_controls')) return;
  if (feed.requests[quadrant].isPinned) unpin(quadrant);
  else pin(quadrant);
}

/** §4 Quadrant: holds the video on screen, which loops. What was to follow it is dropped. One that has just broken is loaded again. */
export function pin(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  if (!request.shown) return;
  stay(quadrant);
  Object.assign(request, { isPinned: true, pinnedFailures: 0 });
  dropNext(quadrant);
  playerOf(quadrant).setLooping(true);
  if (playerOf(quadrant).hasFailed) reloadPinnedLater(quadrant);
}

/** §4 Quadrant: a full interval begins. */
export function unpin(quadrant: Quadrant): void {
  feed.requests[quadrant].isPinned = false;
  playerOf(quadrant).setLooping(false);
  switchTimers[quadrant].restart();
  prepareNext(quadrant);
}
