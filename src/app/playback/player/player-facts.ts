import type { PlayerError } from './load-source.ts';

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
