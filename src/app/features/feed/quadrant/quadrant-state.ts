import type { QuadrantFilter } from '#app/state/filters/quadrant-filters.ts';
import type { Processing } from '#contract/entities/video.ts';
import type { FeedVideo } from './feed-video.ts';

/** Why a quadrant has nothing new to show. `not-playable`: no video that matches plays here, and none is made to. */
export type Failure = 'no-videos' | 'no-data' | 'no-network' | 'not-loaded' | 'not-playable' | 'video-error';

/**
 * `downloading`: a video that matches is being made playable. `out-of-sight`: the feed was hidden before the answer
 * came.
 */
export type WaitReason = Failure | 'downloading' | 'out-of-sight';

/** What a quadrant is doing to get its next video. */
export type Activity =
  | { readonly kind: 'settled' }
  /**
   * A call is open whose video goes to the screen. `after`: why there was none before, which the viewer still reads.
   */
  | { readonly kind: 'asking'; readonly for: 'screen'; readonly after: WaitReason | null }
  /** A call is open whose video is prepared out of sight. The viewer does not know of it. */
  | { readonly kind: 'asking'; readonly for: 'later' }
  /** Tries again by itself. `until`: epoch milliseconds; null while the feed is out of sight, where no timer runs. */
  | { readonly kind: 'waiting'; readonly for: 'screen'; readonly reason: WaitReason; readonly until: number | null }
  | { readonly kind: 'waiting'; readonly for: 'later'; readonly reason: WaitReason; readonly until: number }
  /**
   * The player prepares `video` from second `at`. `back`: it was shown here before, and the viewer skipped back to it.
   */
  | { readonly kind: 'coming'; readonly video: FeedVideo; readonly at: number; readonly back: boolean };

export interface QuadrantState {
  activity: Activity;
  /** On screen. */
  shown: FeedVideo | null;
  /** Prepared out of sight: skip, interval and end of the video bring it to the screen. Never beside `coming`. */
  next: FeedVideo | null;
  /** Videos that were shown here before, newest first: where skip back leads. */
  past: readonly FeedVideo[];
  /** Ids of the last ten videos, newest first: they are not repeated soon. */
  recent: readonly string[];
  /**
   * The video that loops and stays. `failures`: how often it broke without playing on in between; `at`: the second at
   * which it last did.
   */
  pinned: { readonly video: FeedVideo; readonly failures: number; readonly at: number } | null;
  /** The video on screen has moved to another quadrant: it is shown here until the next first frame. */
  isGivenAway: boolean;
  /** What it draws from; null: all videos. */
  filter: QuadrantFilter | null;
  /** The filter has changed since the video on screen was drawn, and so since a pinned one that is on its way was. */
  isFilterPending: boolean;
  /** The viewer paused this quadrant. */
  isPaused: boolean;
  /** The feed is on screen: only then is anything asked or waited for. */
  isSeen: boolean;
  /** Why no video that matches is available, as the server said last, and what is done about it. */
  delay: { readonly reason: string; readonly processing: Processing | null } | null;
}

export const initialQuadrant = (): QuadrantState => ({
  activity: { kind: 'settled' },
  shown: null,
  next: null,
  past: [],
  recent: [],
  pinned: null,
  isGivenAway: false,
  filter: null,
  isFilterPending: false,
  isPaused: false,
  isSeen: false,
  delay: null,
});

type Doing = Pick<QuadrantState, 'activity'>;

/** Nothing is under way that brings another video to the screen. What is asked for later does not count. */
export function isSettled({ activity }: Doing): boolean {
  return activity.kind === 'settled' || isForLater({ activity });
}

export function isForLater({ activity }: Doing): boolean {
  return (activity.kind === 'asking' || activity.kind === 'waiting') && activity.for === 'later';
}

/** The video that the player prepares for the screen. */
export function comingOf({ activity }: Doing): FeedVideo | null {
  return activity.kind === 'coming' ? activity.video : null;
}

/** Why the viewer has no new video: until the next answer, or until the viewer asks for another video. */
export function reasonOf({ activity }: Doing): WaitReason | null {
  if (activity.kind === 'asking' && activity.for === 'screen') return activity.after;
  return activity.kind === 'waiting' && activity.for === 'screen' ? activity.reason : null;
}

/** A video of another filter is on its way. A pinned quadrant waits for the pin to go. */
export function isApplyingFilter(state: Doing & Pick<QuadrantState, 'isFilterPending' | 'pinned'>): boolean {
  const { activity, isFilterPending, pinned } = state;
  const isUnderWay = activity.kind === 'coming' || (activity.kind === 'asking' && reasonOf(state) === null);
  return isFilterPending && !pinned && isUnderWay;
}

export function failureOf(state: Doing): Failure | null {
  const reason = reasonOf(state);
  return reason === 'downloading' || reason === 'out-of-sight' ? null : reason;
}
