import type { PlayerError } from './source-loading.ts';

/** What the elements of a player reported last. */
export interface PlayerFacts {
  /** A frame is shown in the quadrant, moving or not. */
  hasFrame: boolean;
  /** A source is set, or waits for its lease, whose first frame has not been drawn. */
  isPreparing: boolean;
  /** A frame of the video after this one is ready, out of sight. */
  isNextReady: boolean;
  isPaused: boolean;
  /** Playing, and out of data. */
  isWaiting: boolean;
  /** The browser refused to play without a tap. */
  isBlocked: boolean;
  isMuted: boolean;
  /** 0 to 1. */
  volume: number;
  /** Length of the video on screen; null while it is unknown or endless: then there is no seeking (§5). */
  durationSeconds: number | null;
  error: PlayerError | null;
}

export const restingFacts: Readonly<PlayerFacts> = {
  hasFrame: false,
  isPreparing: false,
  isNextReady: false,
  isPaused: true,
  isWaiting: false,
  isBlocked: false,
  isMuted: true,
  volume: 1,
  durationSeconds: null,
  error: null,
};

/** What happens to a player, in this order. */
export type PlayerEvent =
  | { type: 'changed'; facts: Partial<PlayerFacts> }
  /** Another video is on screen. */
  | { type: 'shown' }
  | { type: 'ended' }
  /** The source being prepared, or the one on screen when none is, gives no frames. `at`: the second on screen. */
  | { type: 'failed'; error: PlayerError; at: number }
  /** What was prepared to follow gives no frames, and is dropped. */
  | { type: 'next-failed'; error: PlayerError };

/** What happens to the parts of a player. */
export type PartEvent =
  | Extract<PlayerEvent, { type: 'changed' | 'ended' | 'next-failed' }>
  /** The layers have changed places. */
  | { type: 'swapped' }
  /** What was on its way to the screen gives no frames. */
  | { type: 'coming-failed'; error: PlayerError; videoId: string | undefined }
  /** The video on screen cannot go on. */
  | { type: 'active-failed'; error: PlayerError };

export type EmitPart = (event: PartEvent) => void;

/** What a player has counted over all its videos so far, and how the one on screen stands. */
export interface PlaybackMetrics {
  /** Neither paused, at its end, broken, out of sight nor without a decoder: it plays, or would if it had data. */
  isPlaying: boolean;
  /** What is on screen. */
  videoId: string | undefined;
  droppedFrames: number;
  totalFrames: number;
  stalls: number;
  /** How often another rendition took the place of the same video. */
  qualityAdjustments: number;
  /** How often the player gave a video up. */
  failures: number;
  failedVideoId: string | undefined;
  bufferedAheadSeconds: number;
  /** Until its end; NaN while its length is unknown. */
  remainingSeconds: number;
  /** Pixels of a frame as it is encoded. */
  width: number;
  height: number;
}
