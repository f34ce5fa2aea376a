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
    const { total: totalFrames, dropped: droppedFrames } = this.layers.frames.read(video);
    const { qualityAdjustments, failures, failedVideoId } = this;
    return {
      isPlaying: isWanted && this.isDue,
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

  /** Also while the front is loaded again at its second. One without its lease could not play. */
  private get isDue(): boolean {
    const { isHeld, isReady, element } = this.layers.front;
    return isHeld && !(isReady && element.paused) && !element.ended && !element.error;
  }
}
