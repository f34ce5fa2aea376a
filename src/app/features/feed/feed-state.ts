import { proxy } from 'valtio/vanilla';
import type { BackLayer } from '#app/platform/input/back-stack.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { isPageSeen } from '#app/platform/page-sight.ts';
import { playerOf } from '#app/playback/player/player.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import type { FeedVideo, QuadrantState, WaitReason } from './quadrant/quadrant.ts';
import { initialQuadrant, reasonOf } from './quadrant/quadrant.ts';

interface FeedState {
  /** The viewer has tapped to start. */
  isStarted: boolean;
  /** The feed is the view on screen. */
  isOpen: boolean;
  /** The four videos play in a window of their own, which stays above all others. */
  isInSmallWindow: boolean;
  /** The quadrant that fills the screen. */
  expanded: Quadrant | null;
  /** The three other quadrants are paused behind the expanded one. */
  areOthersPaused: boolean;
  /** Videos that gave no frames lately, newest first. */
  broken: FeedVideo[];
  /** Written only by `QuadrantMachine`. */
  quadrants: Record<Quadrant, QuadrantState>;
}

export const initialFeed = () => ({
  isStarted: false,
  isOpen: false,
  isInSmallWindow: false,
  expanded: null,
  areOthersPaused: false,
  broken: [],
});

export const feed = proxy<FeedState>({ ...initialFeed(), quadrants: byQuadrant(initialQuadrant) });

/** Whether the feed is the view on screen and the viewer sees it. */
export function isFeedSeen(): boolean {
  return feed.isOpen && isPageSeen();
}

const nothingYet: readonly (WaitReason | null)[] = [
  'no-videos',
  'not-playable',
  'downloading',
  'no-network',
  'no-saved',
];

/** Whether no quadrant has a video that a tap could start. */
export function hasNothingToPlay({
  quadrants: states,
}: {
  quadrants: Record<Quadrant, Pick<QuadrantState, 'activity' | 'shown'>>;
}): boolean {
  return quadrants.every((quadrant) => {
    const state = states[quadrant];
    return state.shown === null && nothingYet.includes(reasonOf(state));
  });
}

/** Plays each visible quadrant after the first tap, unless the viewer paused it. */
export function matchPlayback(): void {
  for (const quadrant of quadrants) {
    if (isWanted(quadrant)) playerOf(quadrant).play();
    else playerOf(quadrant).pause();
  }
}

/**
 * Suspends the players while another view is open: they give up their leases, and remember video
 * and position.
 */
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

let layer: BackLayer | null = null;
let cancelPause = () => {};

/**
 * §4 Quadrant: expands one quadrant to the whole screen, and pauses the three others after a delay.
 * Back returns to the grid.
 */
export function expand(quadrant: Quadrant): void {
  layer ??= backStack().open(backToGrid);
  Object.assign(feed, { expanded: quadrant, areOthersPaused: false });
  matchPlayback();
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
