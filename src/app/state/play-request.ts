import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { openView } from './navigation.ts';

interface PlayRequest {
  quadrant: Quadrant;
  video: PlayableVideo;
}

let pending: PlayRequest | null = null;

/** Opens the feed with a video that was chosen for one of its quadrants. */
export function playInQuadrant(request: PlayRequest): void {
  pending = request;
  openView('feed');
}

/** The feed has returned: the request is given out once. */
export function claimPlayRequest(): PlayRequest | null {
  const request = pending;
  pending = null;
  return request;
}
