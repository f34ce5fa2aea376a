import type { BackLayer } from '#app/platform/focus/back-stack.ts';
import { backStack } from '#app/platform/focus/back-stack.ts';
import { after } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { feed } from './feed-state.ts';
import { matchPlayback } from './match-playback.ts';

let layer: BackLayer | null = null;
let cancelPause = () => {};

/**
 * §4 Quadrant: one quadrant fills the screen, and the three behind it pause after a moment. Back leads back to the
 * grid.
 */
export function expand(quadrant: Quadrant): void {
  layer ??= backStack().open(backToGrid);
  feed.expanded = quadrant;
  cancelPause();
  cancelPause = after(limits.pauseOthersWhenExpandedSeconds * 1000, pauseOthers);
}

export function collapse(): void {
  layer?.close();
  backToGrid();
}

export function toggleExpanded(quadrant: Quadrant): void {
  if (feed.expanded === null) expand(quadrant);
  else collapse();
}

function pauseOthers(): void {
  feed.areOthersPaused = true;
  matchPlayback();
}

function backToGrid(): void {
  layer = null;
  cancelPause();
  if (feed.expanded === null) return;
  Object.assign(feed, { expanded: null, areOthersPaused: false });
  matchPlayback();
}
