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
  /** Videos that gave no picture on this page, newest first. */
  broken: string[];
  requests: Record<Quadrant, QuadrantRequest>;
}

export const feed = proxy<FeedState>({ isStarted: false, isOpen: false, broken: [], requests: byQuadrant(initialRequest) });

/** The library is empty: there is nothing that a tap could start. */
export function hasNothingToPlay({ requests }: { requests: Record<Quadrant, Pick<QuadrantRequest, 'failure'>> }): boolean {
  return quadrants.every((quadrant) => requests[quadrant].failure === 'no-videos');
}
