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
