import { proxy } from 'valtio/vanilla';
import { byQuadrant } from '#app/playback/by-quadrant.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { QuadrantRequest } from './quadrant-request.ts';
import { initialRequest } from './quadrant-request.ts';

interface FeedState {
  /** The first tap has come. */
  isStarted: boolean;
  /** The feed is the view on screen. */
  isOpen: boolean;
  /** The quadrant that fills the screen. */
  expanded: Quadrant | null;
  /** The three behind the expanded one are paused. */
  areOthersResting: boolean;
  /** Videos that gave no picture on this page, newest first. */
  broken: string[];
  requests: Record<Quadrant, QuadrantRequest>;
}

export const initialFeed = () => ({ isStarted: false, isOpen: false, expanded: null, areOthersResting: false, broken: [] });

export const feed = proxy<FeedState>({ ...initialFeed(), requests: byQuadrant(initialRequest) });

/** The feed is the view on screen, and somebody can look at it: only then is anything fetched. */
export function isFeedSeen(): boolean {
  return feed.isOpen && !document.hidden;
}

/** The library is empty: there is nothing that a tap could start. */
export function hasNothingToPlay({ requests }: { requests: Record<Quadrant, Pick<QuadrantRequest, 'failure'>> }): boolean {
  return quadrants.every((quadrant) => requests[quadrant].failure === 'no-videos');
}
