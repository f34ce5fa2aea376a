import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { keepForLater, remember } from '../supply/quadrant-supply.ts';
import { feed } from './feed-state.ts';
import type { FeedVideo } from './feed-video.ts';
import type { QuadrantRequest } from './quadrant-request.ts';

/** The first picture of what was given is on screen. Where the viewer went back, the video that was left is the next one. */
export function takeScreen(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  const { coming, shown, isComingBack } = request;
  if (!coming) return;
  Object.assign(request, { shown: coming, coming: null, isComingBack: false, failure: null });
  remember(request, coming.id);
  if (isComingBack) request.past = request.past.slice(request.past.findIndex(({ id }) => id === coming.id) + 1);
  if (!shown || shown.id === coming.id) return;
  if (isComingBack && !request.isPinned) keepForLater(quadrant, shown);
  else keepInPast(request, shown);
}

function keepInPast(request: QuadrantRequest, video: FeedVideo): void {
  request.past = [video, ...request.past.filter(({ id }) => id !== video.id)].slice(0, limits.recentVideosPerQuadrant);
}
