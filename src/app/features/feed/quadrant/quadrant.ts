import type { PlayerError } from '#app/playback/player/source-loading.ts';
import { isOnDevice } from '#app/playback/player/video-element.ts';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import type { QuadrantFilter } from '#app/state/quadrant-filters.ts';
import type { PickedVideo } from '#contract/entities/feed.ts';
import type { Processing } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';

/**
 * Why a quadrant has no new video. `not-playable`: no matching video plays on this device, and none
 * is being converted. `no-saved`: without a network, no saved video matches the filter.
 */
export type Failure =
  | 'no-videos'
  | 'no-data'
  | 'no-network'
  | 'no-saved'
  | 'not-loaded'
  | 'not-playable'
  | 'video-error';

/**
 * `downloading`: a matching video is being made playable. `out-of-sight`: the feed was hidden
 * before the answer came.
 */
export type WaitReason = Failure | 'downloading' | 'out-of-sight';

/** How far a quadrant is in getting its next video. */
export type QuadrantActivity =
  | { readonly kind: 'settled' }
  /**
   * A call for the screen is open. `after`: the reason of the wait before it, whose message is
   * still shown.
   */
  | { readonly kind: 'asking'; readonly for: 'screen'; readonly after: WaitReason | null }
  /** A call is open whose video will be prepared in the background, without a message. */
  | { readonly kind: 'asking'; readonly for: 'later' }
  /**
   * The quadrant tries again by itself. `until`: epoch milliseconds; null while the feed is out of
   * sight, where no timer runs.
   */
  | { readonly kind: 'waiting'; readonly for: 'screen'; readonly reason: WaitReason; readonly until: number | null }
  | { readonly kind: 'waiting'; readonly for: 'later'; readonly reason: WaitReason; readonly until: number }
  /** The player prepares `video` from second `at`. `back`: the viewer skipped back to it. */
  | { readonly kind: 'coming'; readonly video: FeedVideo; readonly at: number; readonly back: boolean };

export interface QuadrantState {
  activity: QuadrantActivity;
  /** The video on screen. */
  shown: FeedVideo | null;
  /**
   * The video prepared in the background, shown on skip, on `interval-passed` or at the end of the
   * current one. Null while another one is `coming`.
   */
  next: FeedVideo | null;
  /** Videos shown here before, newest first, for skip back. */
  past: readonly FeedVideo[];
  /** Ids of the last ten videos, newest first, which picks avoid. */
  recent: readonly string[];
  /**
   * The pinned video, which loops. `failures`: failures without playback in between; `at`: position
   * of the last one in seconds.
   */
  pinned: { readonly video: FeedVideo; readonly failures: number; readonly at: number } | null;
  /**
   * The video on screen has moved to another quadrant: it is still shown here until the first frame
   * of the next one.
   */
  isGivenAway: boolean;
  /** The filter of the playlist; null for all videos. */
  filter: QuadrantFilter | null;
  /** The filter has changed since the video on screen, or a coming pinned one, was picked. */
  isFilterPending: boolean;
  /** The viewer has paused this quadrant. */
  isPaused: boolean;
  /** The feed is visible: only then does the quadrant make calls and run timers. */
  isSeen: boolean;
  /**
   * The server's last reason why no matching video is available, and the processing of one of them.
   */
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

/** Whether no other video is on its way to the screen. Calls and waits for later do not count. */
export function isSettled({ activity }: Doing): boolean {
  return activity.kind === 'settled' || isForLater({ activity });
}

export function isForLater({ activity }: Doing): boolean {
  return (activity.kind === 'asking' || activity.kind === 'waiting') && activity.for === 'later';
}

/** The video that the player prepares for the screen, or null. */
export function comingOf({ activity }: Doing): FeedVideo | null {
  return activity.kind === 'coming' ? activity.video : null;
}

/**
 * The reason why the viewer has no new video, until the next answer or until the viewer requests
 * another video.
 */
export function reasonOf({ activity }: Doing): WaitReason | null {
  if (activity.kind === 'asking' && activity.for === 'screen') return activity.after;
  return activity.kind === 'waiting' && activity.for === 'screen' ? activity.reason : null;
}

/**
 * Whether a video for a changed filter is on its way. A pinned quadrant applies its filter when it
 * is unpinned.
 */
export function isApplyingFilter(state: Doing & Pick<QuadrantState, 'isFilterPending' | 'pinned'>): boolean {
  const { activity, isFilterPending, pinned } = state;
  const isUnderWay = activity.kind === 'coming' || (activity.kind === 'asking' && reasonOf(state) === null);
  return isFilterPending && !pinned && isUnderWay;
}

export function failureOf(state: Doing): Failure | null {
  const reason = reasonOf(state);
  return reason === 'downloading' || reason === 'out-of-sight' ? null : reason;
}

/** The events of a quadrant. `at` is a position in a video, in seconds. */
export type QuadrantEvent =
  /** `hasFailed`: the video on screen cannot continue. */
  | { type: 'pin'; at: number; hasFailed: boolean }
  | { type: 'unpin' }
  | { type: 'skip' }
  | { type: 'skip-back'; video: FeedVideo; at: number }
  | { type: 'interval-passed' }
  | { type: 'ended' }
  /**
   * The coming video, or else the one on screen, gives no frames. `at`: position on screen;
   * `isFinal`: another URL does not help either.
   */
  | { type: 'failed'; error: PlayerError | null; at: number; isFinal?: true }
  /** The coming video, or the one on screen, has a new URL. */
  | { type: 'addressed'; video: FeedVideo }
  | { type: 'next-failed'; error: PlayerError }
  /** The call returned a video that no other quadrant has. `at`: its start position. */
  | { type: 'given'; video: FeedVideo; at: number }
  /**
   * The call returned no video that plays here yet. `processing`: the work on one of them;
   * `reason`: why none is available.
   */
  | { type: 'not-available'; reason: string; processing: Processing | null }
  /** The call failed. */
  | { type: 'not-given'; failure: Exclude<Failure, 'video-error'> }
  /** The gate is closed: the password page is shown. */
  | { type: 'refused' }
  | { type: 'wait-over' }
  /** The first frame of the coming video is on screen. */
  | { type: 'shown' }
  /**
   * The video on screen plays, and device, network and library allow another one to be prepared.
   */
  | { type: 'prepare-next' }
  /** The prepared video is no longer useful. */
  | { type: 'drop-next' }
  /** The viewer has chosen a video for this quadrant in another view. */
  | { type: 'play'; video: FeedVideo }
  /** Another quadrant's video moves here with its position and its pin. */
  | { type: 'place'; video: FeedVideo; at: number; isPinned: boolean }
  /**
   * These videos may no longer be shown: an administrator has hidden them, or their channel is
   * blocked.
   */
  | { type: 'hidden'; ids: readonly string[] }
  /** A video has another title. */
  | { type: 'titled'; id: string; title: string }
  /** The viewer has changed the filter; null for all videos. */
  | { type: 'filter'; filter: QuadrantFilter | null }
  | { type: 'pause'; isPaused: boolean }
  | { type: 'seen' }
  | { type: 'unseen' }
  /** The server is reachable again. */
  | { type: 'recovered' }
  | { type: 'online' };

export type EventOf<Type extends QuadrantEvent['type']> = Extract<QuadrantEvent, { type: Type }>;

/** A side effect of a transition. */
export type Effect =
  /** Opens a call; it replaces an open call or a running timer. */
  | { type: 'ask' }
  /** Starts a timer; it replaces an open call or a running timer. */
  | { type: 'wait'; ms: number }
  /** Ends the open call or the running timer. */
  | { type: 'stop' }
  /** Requests another URL for the coming video; this replaces an open call or a running timer. */
  | { type: 'ask-address'; video: FeedVideo; at: number; error: PlayerError | null; isOnScreen: boolean }
  /** Makes the player prepare a video for the screen. */
  | { type: 'prepare'; video: FeedVideo; at: number }
  /** Makes the player prepare a video in the background. */
  | { type: 'prepare-next'; video: FeedVideo }
  /** Shows the video that was prepared in the background. */
  | { type: 'show-next'; video: FeedVideo }
  | { type: 'drop-next' }
  /** Cancels the video that the player prepares for the screen. */
  | { type: 'cancel' }
  /** Removes the video on screen at once, without a replacement. */
  | { type: 'clear' }
  | { type: 'loop'; isLooping: boolean }
  /** Starts a full switch interval. */
  | { type: 'restart-interval' }
  /** The first frame of another video has come to the screen. */
  | { type: 'watched'; id: string }
  /** Excludes the video from later picks. */
  | { type: 'avoid'; video: FeedVideo }
  /** Records that this device may not play this video although the browser claims support. */
  | { type: 'doubt'; video: FeedVideo; error: PlayerError }
  /** Pauses or plays according to `isPaused`. */
  | { type: 'match-playback' }
  /** Sends `prepare-next` if another video may be prepared now. */
  | { type: 'consider-next' };

export type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

/** The effects of unpinning. */
export const unpinEffects: readonly Effect[] = [{ type: 'loop', isLooping: false }, { type: 'restart-interval' }];

/** The new state and its effects, in order. */
export type Transition = readonly [QuadrantState, readonly Effect[]];

/** A video as the feed stores it. */
export interface FeedVideo extends PlayableVideo {
  /** The number of videos in its quadrant's playlist. */
  matching: number;
  /** How many of them a round had left at its pick, with this one; absent without a round. */
  unseen?: number | undefined;
}

/** Gives a video its new title wherever the quadrant has it. */
export function retitle(state: QuadrantState, { id, title }: EventOf<'titled'>): QuadrantState {
  const { activity, shown, next, past, pinned } = state;
  const titled = (video: FeedVideo): FeedVideo => (video.id === id ? { ...video, title } : video);
  return {
    ...state,
    activity: activity.kind === 'coming' ? { ...activity, video: titled(activity.video) } : activity,
    shown: shown && titled(shown),
    next: next && titled(next),
    past: past.map(titled),
    pinned: pinned && { ...pinned, video: titled(pinned.video) },
  };
}

/** Whether a video plays from this device. */
export function isSaved({ url }: Pick<FeedVideo, 'url'>): boolean {
  return isOnDevice(url);
}

export function toFeedVideo(reply: PickedVideo): FeedVideo {
  const { rendition, audio_track: audioTrack, matching, unseen } = reply;
  return { ...toPlayableVideo(reply, rendition), ...(audioTrack !== undefined && { audioTrack }), matching, unseen };
}

/**
 * Opens a call for the screen; out of sight it waits until the quadrant is visible. `after`: why
 * there was no video before.
 */
export function ask(state: QuadrantState, after: WaitReason | null, effects: readonly Effect[] = []): Transition {
  if (!state.isSeen) {
    const reason = after ?? 'out-of-sight';
    const waiting: QuadrantState = { ...state, activity: { kind: 'waiting', for: 'screen', reason, until: null } };
    return [waiting, [...effects, { type: 'stop' }]];
  }
  return [{ ...state, activity: { kind: 'asking', for: 'screen', after } }, [...effects, { type: 'ask' }]];
}

/**
 * Seconds after which a quadrant tries again by itself. A video that is not available yet
 * (`downloading`, `not-playable`) and a broken one have limits of their own; every other reason is
 * a failed load.
 */
function secondsUntilNextTry(reason: WaitReason): number {
  if (reason === 'video-error') return limits.retryVideoErrorSeconds;
  const isNotAvailable = reason === 'downloading' || reason === 'not-playable';
  return isNotAvailable ? limits.retryNotAvailableSeconds : limits.retryFailedLoadSeconds;
}

/**
 * The call returned no video. The reason is shown only if the call was for the screen. A pinned
 * video whose network is gone goes on where it was; it has not failed.
 */
export function tryLater(state: QuadrantState, reason: WaitReason, now: number): Transition {
  if (isForLater(state)) return waitForLater(state, reason, now);
  const { activity, pinned } = state;
  if (!pinned || activity.kind !== 'coming') return waitForScreen(state, reason, now);
  const kept = { ...pinned, failures: 0, at: activity.at };
  return waitForScreen({ ...state, pinned: kept }, reason, now);
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

/** Out of sight nothing is prepared, so no timer runs. */
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

/** No matching video is available: one is being made playable, or none is. */
export function waitForAvailable(state: QuadrantState, event: EventOf<'not-available'>, now: number): Transition {
  const { reason, processing } = event;
  const isUnderWay = processing !== null && processing.state !== 'failed';
  const delayed: QuadrantState = isForLater(state) ? state : { ...state, delay: { reason, processing } };
  return tryLater(delayed, isUnderWay ? 'downloading' : 'not-playable', now);
}
