import { currentForm } from '#app/platform/input/screen-form.ts';
import { now } from '#app/platform/timers.ts';
import type { PerformanceReport } from '#contract/entities/site/performance.ts';
import type { QualitySample } from './quality-sample.ts';

/** As the server is told. Instants are the device's own: `sent_at` lets the server put them right. */
export function toReport(samples: readonly QualitySample[]): PerformanceReport {
  return { form: currentForm(), sent_at: toIso(now()), samples: samples.map(toWire) };
}

function toWire(sample: QualitySample): PerformanceReport['samples'][number] {
  const { videoId, failures, kbps } = sample;
  return {
    timestamp: toIso(sample.at),
    quadrant: sample.quadrant,
    dropped_frames: sample.droppedFrames,
    total_frames: sample.totalFrames,
    buffer_level_seconds: Math.round(sample.bufferLevelSeconds * 100) / 100,
    stall_events: sample.stalls,
    quality_adjustments: sample.qualityAdjustments,
    ...(kbps && { bitrate_bps: kbps * 1000 }),
    ...(failures > 0 && { failures }),
    ...(videoId !== undefined && { video_id: videoId }),
  };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
