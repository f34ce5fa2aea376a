import { every, now } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '../by-quadrant.ts';
import type { Player } from '../player/player.ts';
import { openedPlayers } from '../player/player-store.ts';
import { openBandwidthMeter } from './bandwidth-meter.ts';
import { NetworkSpeed } from './network-speed.ts';
import type { PlaybackMetrics } from './playback-metrics.ts';
import type { Counts, QualitySample } from './quality-sample.ts';
import { bufferLevelOf } from './quality-sample.ts';

const everyMs = 1_000;
/** As many as one call of the performance page takes. */
const kept = limits.performanceSamplesPerCall;

const noCounts: Counts = { droppedFrames: 0, totalFrames: 0, stalls: 0, qualityAdjustments: 0, failures: 0 };
const rings = byQuadrant<QualitySample[]>(() => []);

/** The last samples of a quadrant, one a second, newest last. */
export function qualityOf(quadrant: Quadrant): readonly QualitySample[] {
  return rings[quadrant];
}

export function latestQuality(quadrant: Quadrant): QualitySample | null {
  return rings[quadrant][rings[quadrant].length - 1] ?? null;
}

/**
 * Samples the four players once a second, and only while the page is visible. What is paused, covered, empty, at its
 * end or broken gives no sample, but for the second in which something was counted of it: a viewer's pause must not
 * look like a lack of data.
 * @param hear receives the samples of each second, also when there are none
 * @returns what stops it
 */
export function startSampler(hear: (samples: QualitySample[]) => void = () => {}): () => void {
  const speed = new NetworkSpeed();
  const meter = openBandwidthMeter((transfer) => speed.add(transfer));
  const counted = new WeakMap<Player, Counts>();
  const stop = every(everyMs, () => {
    const bandwidthMbps = meter.read(everyMs);
    if (document.hidden) return;
    const samples: QualitySample[] = [];
    for (const [quadrant, player] of openedPlayers()) {
      const metrics = player.metrics();
      const counts = since(counted.get(player) ?? noCounts, metrics);
      if (!metrics.isPlaying && !hasIncident(counts)) continue;
      counted.set(player, metrics);
      samples.push(toSample({ ...metrics, ...counts }, { quadrant, at: now(), bandwidthMbps }));
    }
    samples.forEach(store);
    speed.learn(samples);
    hear(samples);
  });
  return () => {
    stop();
    meter.close();
    for (const ring of Object.values(rings)) ring.length = 0;
  };
}

function store(sample: QualitySample): void {
  const ring = rings[sample.quadrant];
  ring.push(sample);
  if (ring.length > kept) ring.shift();
}

/** No count of a player goes down by itself; some engines count an element's frames anew when they suspend it. */
function since(before: Counts, present: Counts): Counts {
  const droppedFrames = Math.max(0, present.droppedFrames - before.droppedFrames);
  return {
    droppedFrames,
    // Where both are not counted at the same instant.
    totalFrames: Math.max(droppedFrames, present.totalFrames - before.totalFrames),
    stalls: present.stalls - before.stalls,
    qualityAdjustments: present.qualityAdjustments - before.qualityAdjustments,
    failures: present.failures - before.failures,
  };
}

function hasIncident({ stalls, qualityAdjustments, failures }: Counts): boolean {
  return stalls + qualityAdjustments + failures > 0;
}

function toSample(
  metrics: PlaybackMetrics,
  of: Pick<QualitySample, 'quadrant' | 'at' | 'bandwidthMbps'>,
): QualitySample {
  const { failures, videoId, failedVideoId, bufferedAheadSeconds, width, height } = metrics;
  const { droppedFrames, totalFrames, stalls, qualityAdjustments } = metrics;
  return {
    ...of,
    videoId: failures > 0 ? failedVideoId : videoId,
    droppedFrames,
    totalFrames,
    stalls,
    qualityAdjustments,
    failures,
    bufferedAheadSeconds,
    bufferLevelSeconds: bufferLevelOf(metrics),
    width,
    height,
  };
}
