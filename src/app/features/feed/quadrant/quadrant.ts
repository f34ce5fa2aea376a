import type { PlayerError } from '#app/playback/player/source-loading.ts';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import type { QuadrantFilter } from '#app/state/quadrant-filters.ts';
import type { PickedVideo } from '#contract/entities/feed.ts';
import type { Processing } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';

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

/** What happens to a quadrant. `at` is always a second of a video. */
export type QuadrantEvent =
  /** `hasFailed`: the video on screen cannot go on. */
  | { type: 'pin'; at: number; hasFailed: boolean }
  | { type: 'unpin' }
  | { type: 'skip' }
  | { type: 'skip-back'; video: FeedVideo; at: number }
  | { type: 'interval-passed' }
  | { type: 'ended' }
  /**
   * The coming video, or else the one on screen, gives no frames. `at`: the second on screen. `isFinal`: nor would it
   * from another address.
   */
  | { type: 'failed'; error: PlayerError | null; at: number; isFinal?: true }
  /** A video that is coming has another address. */
  | { type: 'addressed'; video: FeedVideo }
  | { type: 'next-failed'; error: PlayerError }
  /** The open call is answered: with a video that no other quadrant has (`at`: where it starts), … */
  | { type: 'given'; video: FeedVideo; at: number }
  /** … with none that plays here as yet (`processing`: the work on one of them, `reason`: why it is none), … */
  | { type: 'not-available'; reason: string; processing: Processing | null }
  /** … with a failure, … */
  | { type: 'not-given'; failure: Exclude<Failure, 'video-error'> }
  /** … or by a closed gate: the password page takes over. */
  | { type: 'refused' }
  | { type: 'wait-over' }
  /** The first frame of the coming video is on screen. */
  | { type: 'shown' }
  /** The video on screen plays, and device, network and library allow to prepare another one. */
  | { type: 'prepare-next' }
  /** What was prepared is of no use any more. */
  | { type: 'drop-next' }
  /** The viewer has chosen a video for this quadrant. */
  | { type: 'play'; video: FeedVideo }
  /** Another quadrant's video comes here with its second and its pin. */
  | { type: 'place'; video: FeedVideo; at: number; isPinned: boolean }
  /** These videos may be shown no more: an administrator has hidden them, or their channel is blocked. */
  | { type: 'hidden'; ids: readonly string[] }
  /** The quadrant draws from other channels; null: from all. */
  | { type: 'filter'; filter: QuadrantFilter | null }
  | { type: 'pause'; isPaused: boolean }
  | { type: 'seen' }
  | { type: 'unseen' }
  /** The server answers again. */
  | { type: 'recovered' }
  | { type: 'online' };

export type EventOf<Type extends QuadrantEvent['type']> = Extract<QuadrantEvent, { type: Type }>;

/** What a transition has done outside of the state. */
export type Effect =
  /** Opens a call, in place of an open call or a running timer. */
  | { type: 'ask' }
  /** Starts a timer, in place of an open call or a running timer. */
  | { type: 'wait'; ms: number }
  /** Ends the open call or the running timer. */
  | { type: 'stop' }
  /** Asks for another address of the coming video, in place of an open call or a running timer. */
  | { type: 'ask-address'; video: FeedVideo; at: number; error: PlayerError | null; isOnScreen: boolean }
  /** Has the player prepare a video for the screen. */
  | { type: 'prepare'; video: FeedVideo; at: number }
  /** Has the player prepare a video out of sight. */
  | { type: 'prepare-next'; video: FeedVideo }
  /** Brings the video to the screen that was prepared out of sight. */
  | { type: 'show-next'; video: FeedVideo }
  | { type: 'drop-next' }
  /** What the player prepares for the screen is given up. */
  | { type: 'cancel' }
  /** The video on screen leaves it at once, with nothing in its place. */
  | { type: 'clear' }
  | { type: 'loop'; isLooping: boolean }
  /** A full switch interval begins. */
  | { type: 'restart-interval' }
  /** Picks avoid the video from now on. */
  | { type: 'avoid'; video: FeedVideo }
  /** This device may not play what the browser says that it does. */
  | { type: 'doubt'; video: FeedVideo; error: PlayerError }
  /** Pauses or plays what `isPaused` asks for. */
  | { type: 'match-playback' }
  /** Sends `prepare-next` if another video may be prepared now. */
  | { type: 'consider-next' };

export type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

/** What goes with the end of a pin. */
export const unpinEffects: readonly Effect[] = [{ type: 'loop', isLooping: false }, { type: 'restart-interval' }];

/** The state that follows, and what has to be done, in this order. */
export type Transition = readonly [QuadrantState, readonly Effect[]];

/** A video as the feed stores it. */
export interface FeedVideo extends PlayableVideo {
  /** How many videos its quadrant drew from. */
  matching: number;
}

export function toFeedVideo(reply: PickedVideo): FeedVideo {
  return { ...toPlayableVideo(reply, reply.rendition), matching: reply.matching };
}

/** Opens a call whose video goes to the screen. `after`: why there was none before. */
export function ask(state: QuadrantState, after: WaitReason | null, effects: readonly Effect[] = []): Transition {
  return [{ ...state, activity: { kind: 'asking', for: 'screen', after } }, [...effects, { type: 'ask' }]];
}

/** Seconds after which a quadrant tries again by itself. */
function secondsUntilNextTry(reason: WaitReason): number {
  if (reason === 'video-error') return limits.retryVideoErrorSeconds;
  const isNotAvailable = reason === 'downloading' || reason === 'not-playable';
  return isNotAvailable ? limits.retryNotAvailableSeconds : limits.retryFailedLoadSeconds;
}

/** The call brought no video. The viewer reads why only where the video was for the screen. */
export function tryLater(state: QuadrantState, reason: WaitReason, now: number): Transition {
  return isForLater(state) ? waitForLater(state, reason, now) : waitForScreen(state, reason, now);
}

export function waitForScreen(
  state: QuadrantState,
  reason: WaitReason,
  now: number,
  effects: readonly Effect[] = [],
): Transition {
  const ms = secondsUntilNextTry(reason) * 1000;
  const until = state.isSeen ? now + ms : null;
  return [
    { ...state, activity: { kind: 'waiting', for: 'screen', reason, until } },
    [...effects, state.isSeen ? { type: 'wait', ms } : { type: 'stop' }],
  ];
}

/** Out of sight nothing is prepared, so nothing is waited for. */
export function waitForLater(
  state: QuadrantState,
  reason: WaitReason,
  now: number,
  effects: readonly Effect[] = [],
): Transition {
  if (!state.isSeen) return [{ ...state, activity: { kind: 'settled' } }, effects];
  const ms = secondsUntilNextTry(reason) * 1000;
  return [
    { ...state, activity: { kind: 'waiting', for: 'later', reason, until: now + ms } },
    [...effects, { type: 'wait', ms }],
  ];
}

/** No video that matches is available: either one is being made playable, or nothing will change by itself. */
export function waitForAvailable(state: QuadrantState, event: EventOf<'not-available'>, now: number): Transition {
  const { reason, processing } = event;
  const isUnderWay = processing !== null && processing.state !== 'failed';
  const delayed: QuadrantState = isForLater(state) ? state : { ...state, delay: { reason, processing } };
  return tryLater(delayed, isUnderWay ? 'downloading' : 'not-playable', now);
}
