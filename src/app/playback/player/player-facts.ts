import type { PlayerError } from './source-loading.ts';

/** The state last reported by a player's elements. */
export interface PlayerFacts {
  /** A frame is shown in the quadrant, playing or paused. */
  hasFrame: boolean;
  /** A source is loading or waiting for its lease; its first frame has not been drawn. */
  isPreparing: boolean;
  /** Its video waits for a decoder: the device shows fewer at once. */
  isResting: boolean;
  /** The first frame of the next video is ready in the back layer. */
  isNextReady: boolean;
  isPaused: boolean;
  /** Playing, but out of data. */
  isWaiting: boolean;
  /** The browser refused to play without a tap. */
  isBlocked: boolean;
  isMuted: boolean;
  /** 0 to 1. */
  volume: number;
  /** 1: as recorded. */
  speed: number;
  /**
   * Duration of the video on screen; null while it is unknown or infinite: then seeking is disabled
   * (§5).
   */
  durationSeconds: number | null;
  error: PlayerError | null;
}

export const restingFacts: Readonly<PlayerFacts> = {
  hasFrame: false,
  isPreparing: false,
  isResting: false,
  isNextReady: false,
  isPaused: true,
  isWaiting: false,
  isBlocked: false,
  isMuted: true,
  volume: 1,
  speed: 1,
  durationSeconds: null,
  error: null,
};

/** Events of a player, in this order. */
export type PlayerEvent =
  | { type: 'changed'; facts: Partial<PlayerFacts> }
  /** Another video is on screen. */
  | { type: 'shown' }
  | { type: 'ended' }
  /**
   * The source being prepared, or the one on screen when none is, gives no frames. `at`: the
   * position on screen, in seconds.
   */
  | { type: 'failed'; error: PlayerError; at: number }
  /** The prepared next video gives no frames, and is dropped. */
  | { type: 'next-failed'; error: PlayerError };

/** Events of the parts of a player. */
export type PartEvent =
  | Extract<PlayerEvent, { type: 'changed' | 'ended' | 'next-failed' }>
  /** The layers have been swapped. */
  | { type: 'swapped' }
  /** The requested video gives no frames. */
  | { type: 'coming-failed'; error: PlayerError; videoId: string | undefined }
  /** The video on screen cannot continue. */
  | { type: 'active-failed'; error: PlayerError };

export type EmitPart = (event: PartEvent) => void;

/** Counts over all videos of a player, and the state of the one on screen. */
export interface PlaybackMetrics {
  /**
   * Whether it plays, or would if it had data: not paused, ended, broken, hidden or without a
   * decoder.
   */
  isPlaying: boolean;
  /** The video on screen. */
  videoId: string | undefined;
  droppedFrames: number;
  totalFrames: number;
  stalls: number;
  /** How often another rendition replaced the playing one of the same video. */
  qualityAdjustments: number;
  /** How often the player gave up a video. */
  failures: number;
  failedVideoId: string | undefined;
  bufferedAheadSeconds: number;
  /** Seconds until the end; NaN while the duration is unknown. */
  remainingSeconds: number;
  /** Pixels of an encoded frame. */
  width: number;
  height: number;
}
