import { connection } from '#app/state/connection.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed, isFeedSeen } from '../quadrant/feed-state.ts';
import type { QuadrantRequest } from '../quadrant/quadrant-request.ts';
import { isSettled } from '../quadrant/quadrant-request.ts';

/** One on screen and one prepared for each quadrant, and two more, so that chance still has a choice. */
const videosForAll = quadrants.length * 2 + 2;

/** Whether a quadrant may have its next video prepared: it plays, it is not pinned, the network is there, and there are videos enough. */
export function mayPrepareNext(request: QuadrantRequest): boolean {
  if (!feed.isStarted || !isFeedSeen() || !connection.isReachable) return false;
  if (!request.shown || request.next || request.isPinned || !isSettled(request)) return false;
  return request.shown.matching - feed.broken.length >= videosForAll;
}
