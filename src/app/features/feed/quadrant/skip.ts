import { may } from '#app/state/may.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { bring, playNext, stay } from '../supply/quadrant-supply.ts';
import { isTakenElsewhere } from '../supply/surroundings.ts';
import { feed } from './feed-state.ts';
import type { FeedVideo } from './feed-video.ts';

/** §4 Quadrant: a pinned video cannot be skipped. */
export function skip(quadrant: Quadrant): void {
  if (may('video_controls') && !feed.requests[quadrant].isPinned) playNext(quadrant);
}

/** Brings the last video back that stood here and that no other quadrant has meanwhile. */
export function skipBack(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  const video = lastFree(quadrant);
  if (!may('video_controls') || request.isPinned || !video) return;
  stay(quadrant);
  bring(quadrant, video);
  request.isComingBack = true;
}

/** From the second press on, before the first one's picture has come, it leads one further. */
function lastFree(quadrant: Quadrant): FeedVideo | undefined {
  const { past, coming, isComingBack } = feed.requests[quadrant];
  const from = isComingBack ? past.findIndex(({ id }) => id === coming?.id) + 1 : 0;
  return past.slice(from).find((video) => !isTakenElsewhere(quadrant, video));
}
