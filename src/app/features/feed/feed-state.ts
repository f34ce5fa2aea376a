import { proxy } from 'valtio';
import { byQuadrant } from '#app/playback/by-quadrant.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { QuadrantRequest } from './quadrant-request.ts';
import { initialRequest } from './quadrant-request.ts';

interface FeedState {
  /** The first tap has come. */
  isStarted: boolean;
  /** The feed is the view on screen. */
  isOpen: boolean;
  requests: Record<Quadrant, QuadrantRequest>;
}

export const feed = proxy<FeedState>({ isStarted: false, isOpen: false, requests: byQuadrant(initialRequest) });
