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

/** While another view is open the players give up what they hold, and keep video and position. */
export function matchPresence(): void {
  for (const quadrant of quadrants) {
    if (feed.isOpen) playerOf(quadrant).resume();
    else playerOf(quadrant).suspend();
  }
  matchPlayback();
}

/** The Play/Pause key: holds one quadrant, and lets it go again. */
export function toggleHold(quadrant: Quadrant): void {
  setHold(quadrant, !feed.requests[quadrant].isHeld);
}

export function setHold(quadrant: Quadrant, isHeld: boolean): void {
  feed.requests[quadrant].isHeld = isHeld;
  matchPlayback();
}

/** Pauses all four, or lets them all go on. */
export function holdAll(isHeld: boolean): void {
  for (const quadrant of quadrants) feed.requests[quadrant].isHeld = isHeld;
  matchPlayback();
}

export function areAllHeld(requests: Readonly<Record<Quadrant, { readonly isHeld: boolean }>>): boolean {
  return quadrants.every((quadrant) => requests[quadrant].isHeld);
}

function isWanted(quadrant: Quadrant): boolean {
  const isCovered = feed.areOthersResting && feed.expanded !== quadrant;
  return feed.isStarted && isFeedSeen() && !isCovered && !feed.requests[quadrant].isHeld;
}
