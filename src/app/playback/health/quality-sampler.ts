import { every, now } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '../by-quadrant.ts';
import { openedPlayers } from '../player/player-store.ts';
import { openBandwidthMeter } from './bandwidth-meter.ts';
import type { PlaybackMetrics } from './playback-metrics.ts';

/** One second of one quadrant. */
interface QualitySample extends PlaybackMetrics {
  /** Epoch milliseconds at its end. `droppedFrames`, `totalFrames` and `stalls` are those of this second alone. */
  at: number;
  /** Of the whole page in this second; null when no transfer ended in it. */
  bandwidthMbps: number | null;
}

const everyMs = 1_000;
/** As many as one call of the performance page takes. */
const kept = limits.performanceSamplesPerCall;

const resting: PlaybackMetrics = {
  droppedFrames: 0,
  totalFrames: 0,
  stalls: 0,
  bufferedAheadSeconds: 0,
  width: 0,
  height: 0,
};
const rings = byQuadrant<QualitySample[]>(() => []);

/** The last samples of a quadrant, one a second, newest last. There is no notification: poll it. */
export function qualityOf(quadrant: Quadrant): readonly QualitySample[] {
  return rings[quadrant];
}

export function latestQuality(quadrant: Quadrant): QualitySample | null {
  return rings[quadrant][rings[quadrant].length - 1] ?? null;
}

/** Samples the four players once a second, and only while the page is visible. Returns what stops it. */
export function startSampler(): () => void {
  const meter = openBandwidthMeter();
  const before = byQuadrant(() => resting);
  const stop = every(everyMs, () => {
    const bandwidthMbps = meter.read(everyMs);
    if (document.hidden) return;
    for (const [quadrant, player] of openedPlayers()) {
      const metrics = player.metrics();
      store(quadrant, { ...since(before[quadrant], metrics), at: now(), bandwidthMbps });
      before[quadrant] = metrics;
    }
  });
  return () => {
    stop();
    meter.close();
    for (const ring of Object.values(rings)) ring.length = 0;
  };
}

function store(quadrant: Quadrant, sample: QualitySample): void {
  const ring = rings[quadrant];
  ring.push(sample);
  if (ring.length > kept) ring.shift();
}

/** A count that is lower than before is another video's. */
function since(
  before: PlaybackMetrics,
  { droppedFrames, totalFrames, stalls, ...present }: PlaybackMetrics,
): PlaybackMetrics {
  const isSameVideo = totalFrames >= before.totalFrames;
  return {
    ...present,
    droppedFrames: Math.max(0, droppedFrames - (isSameVideo ? before.droppedFrames : 0)),
    totalFrames: totalFrames - (isSameVideo ? before.totalFrames : 0),
    stalls: stalls - before.stalls,
  };
}
