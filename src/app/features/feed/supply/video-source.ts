import type { Processing } from '#contract/entities/video.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { TagFilter } from '#contract/rules/tags/tag-filter.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import type { Failure } from '../quadrant/quadrant-state.ts';
import type { PickDemand } from './pick-demand.ts';

export interface PickRequest {
  quadrant: Quadrant;
  filter: TagFilter;
  demand: PickDemand;
  /** Ids that the pick should avoid. */
  excluded: readonly string[];
  signal: AbortSignal;
}

export type PickResult =
  | { kind: 'given'; video: FeedVideo }
  /** `available:false`: `processing` is what makes one playable; null when nothing does. `reason`: for a person. */
  | { kind: 'downloading'; reason: string; processing: Processing | null }
  | { kind: 'failed'; failure: Exclude<Failure, 'video-error'> }
  /** The gate is closed: the password page is shown, and nothing is asked again. */
  | { kind: 'refused' }
  /** The request's signal has ended it. */
  | { kind: 'given-up' };

/** A place where a quadrant's next video may come from. It never throws for what its place may do. */
export interface VideoSource {
  pick(request: PickRequest): Promise<PickResult>;
}
