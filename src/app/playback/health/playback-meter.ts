import type { ActiveLayer } from '../player/active-layer.ts';
import type { LayerPair } from '../player/layer-pair.ts';
import { bufferedAhead } from '../player/video-element.ts';
import type { PlaybackMetrics } from './playback-metrics.ts';

/** Counts what becomes of a player's videos. */
export class PlaybackMeter {
  private readonly layers: LayerPair;
  private readonly active: ActiveLayer;
  private qualityAdjustments = 0;
  private failures = 0;
  private failedVideoId: string | undefined;

  constructor(layers: LayerPair, active: ActiveLayer) {
    this.layers = layers;
    this.active = active;
  }

  countQualityAdjustment(): void {
    this.qualityAdjustments += 1;
  }

  countFailure(videoId: string | undefined): void {
    this.failures += 1;
    this.failedVideoId = videoId;
  }

  /** @param isWanted the player is to play, and can be seen */
  read(isWanted: boolean): PlaybackMetrics {
    const { video, stalls } = this.active;
    const { front, frames } = this.layers;
    const { total: totalFrames, dropped: droppedFrames } = frames.read(video);
    const { qualityAdjustments, failures, failedVideoId } = this;
    return {
      isPlaying: isWanted && front.isReady && !video.paused && !video.ended && !video.error,
      videoId: this.active.videoId,
      droppedFrames,
      totalFrames,
      stalls,
      qualityAdjustments,
      failures,
      failedVideoId,
      bufferedAheadSeconds: bufferedAhead(video),
      remainingSeconds: video.duration - video.currentTime,
      width: video.videoWidth,
      height: video.videoHeight,
    };
  }
}
