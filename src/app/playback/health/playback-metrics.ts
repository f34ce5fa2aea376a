import { framesOf } from '#app/platform/capabilities.ts';
import { bufferedAhead } from '../player/video-element.ts';

/** What a player has counted so far. Frames begin anew with each video. */
export interface PlaybackMetrics {
  droppedFrames: number;
  totalFrames: number;
  stalls: number;
  bufferedAheadSeconds: number;
  /** Pixels of a frame as it is encoded. */
  width: number;
  height: number;
}

export function metricsOf(video: HTMLVideoElement, stalls: number): PlaybackMetrics {
  const { dropped, total } = framesOf(video) ?? { dropped: 0, total: 0 };
  const { videoWidth: width, videoHeight: height } = video;
  return {
    droppedFrames: dropped,
    totalFrames: total,
    stalls,
    width,
    height,
    bufferedAheadSeconds: bufferedAhead(video),
  };
}
