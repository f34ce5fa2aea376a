import { proxy } from 'valtio/vanilla';
import { byQuadrant } from '#app/playback/by-quadrant.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { FeedVideo } from './feed-video.ts';
import type { QuadrantState, WaitReason } from './quadrant-state.ts';
import { initialQuadrant, reasonOf } from './quadrant-state.ts';

interface FeedState {
  /** The first tap has come. */
  isStarted: boolean;
  /** The feed is the view on screen. */
  isOpen: boolean;
  /** The quadrant that fills the screen. */
  expanded: Quadrant | null;
  /** The three behind the expanded one are paused. */
  areOthersPaused: boolean;
  /** Videos that gave no frames on this page, newest first. */
  broken: FeedVideo[];
  /** Written by `QuadrantMachine` alone. */
  quadrants: Record<Quadrant, QuadrantState>;
}

export const initialFeed = () => ({
  isStarted: false,
  isOpen: false,
  expanded: null,
  areOthersPaused: false,
  broken: [],
});

export const feed = proxy<FeedState>({ ...initialFeed(), quadrants: byQuadrant(initialQuadrant) });

/** The feed is the view on screen, and the page is visible. */
export function isFeedSeen(): boolean {
  return feed.isOpen && !document.hidden;
}

const nothingYet: readonly (WaitReason | null)[] = ['no-videos', 'not-playable', 'downloading'];

/** No quadrant has a video that a tap could start. */
export function hasNothingToPlay({
  quadrants: states,
}: {
  quadrants: Record<Quadrant, Pick<QuadrantState, 'activity'>>;
}): boolean {
  return quadrants.every((quadrant) => nothingYet.includes(reasonOf(states[quadrant])));
}
