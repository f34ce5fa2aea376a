import type { PlayerError } from '#app/playback/player/load-source.ts';
import type { QuadrantFilter } from '#app/state/filters/quadrant-filters.ts';
import type { Processing } from '#contract/entities/video.ts';
import type { FeedVideo } from './feed-video.ts';
import type { Failure, QuadrantState } from './quadrant-state.ts';

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
