import { playerOf } from '#app/playback/player/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed, isFeedSeen } from './feed-state.ts';

/** Each plays after the first tap while it can be seen, unless the viewer paused it. */
export function matchPlayback(): void {
  for (const quadrant of quadrants) {
    if (isWanted(quadrant)) playerOf(quadrant).play();
    else playerOf(quadrant).pause();
  }
}

/** While another view is open the players give up their leases, and remember video and position. */
export function matchVisibility(): void {
  for (const quadrant of quadrants) {
    if (feed.isOpen) playerOf(quadrant).resume();
    else playerOf(quadrant).suspend();
  }
  matchPlayback();
}

function isWanted(quadrant: Quadrant): boolean {
  const isCovered = feed.areOthersPaused && feed.expanded !== quadrant;
  return feed.isStarted && isFeedSeen() && !isCovered && !feed.quadrants[quadrant].isPaused;
}
