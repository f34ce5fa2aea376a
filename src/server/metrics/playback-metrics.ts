import type { Registry } from 'prom-client';
import type { PlaybackSource, PlaybackSummary } from './metric-sources.ts';
import { addGauge } from './pulled-metrics.ts';

type Figure = readonly [name: keyof PlaybackSummary, metric: string, help: string];

const figures: readonly Figure[] = [
  ['viewers', 'fourfold_playback_viewers', 'Viewers whose players reported within the last minute.'],
  ['samples', 'fourfold_playback_samples', 'Samples that players reported within the last minute.'],
  ['totalFrames', 'fourfold_playback_frames', 'Frames of all players within the last minute.'],
  ['droppedFrames', 'fourfold_playback_dropped_frames', 'Frames that were not shown in time within the last minute.'],
  ['stalls', 'fourfold_playback_stalls', 'Stalls of all players within the last minute.'],
  ['bufferSeconds', 'fourfold_playback_buffer_seconds', 'Mean time buffered ahead within the last minute.'],
];

/** How well videos play, as players say themselves: anybody's word, and only of all viewers together. */
export function addPlaybackMetrics(registry: Registry, source: PlaybackSource): void {
  for (const [name, metric, help] of figures) addGauge(registry, metric, help, () => source.lastMinute()[name]);
}
