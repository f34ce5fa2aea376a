import { playerOf } from '#app/playback/player/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { feed } from '../quadrant/feed-state.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import { excludedIds, isTakenNeedlessly } from './exclusion.ts';
import { claimedElsewhere, leavingElsewhere, positionsElsewhere } from './neighbours.ts';
import { startPosition } from './start-position.ts';

/** Ids that a pick for this quadrant should avoid. */
export function excludedFor(quadrant: Quadrant): string[] {
  const { recent, shown } = feed.requests[quadrant];
  const claimed = claimedElsewhere(feed.requests, quadrant);
  const leaving = leavingElsewhere(feed.requests, quadrant);
  return excludedIds({ claimed, leaving, recent, broken: feed.broken, matching: shown?.matching ?? null });
}

/** Whether another quadrant has this video although there is one for each. */
export function isTakenElsewhere(quadrant: Quadrant, { id, matching }: FeedVideo): boolean {
  return isTakenNeedlessly(id, { claimed: claimedElsewhere(feed.requests, quadrant), broken: feed.broken, matching });
}

/** Second at which a video starts here: apart from other quadrants that show it. */
export function freePosition(quadrant: Quadrant, { id, durationSeconds }: FeedVideo): number {
  const taken = positionsElsewhere(feed.requests, quadrant, id, (other) => playerOf(other).position);
  return startPosition(durationSeconds, taken);
}
