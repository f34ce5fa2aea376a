import { every, now } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '../by-quadrant.ts';
import { readLearned, storeLearned } from '../learned-device.ts';
import { slowBelowKbps } from '../media-budget.ts';
import type { Player } from '../player/player.ts';
import { openedPlayers } from '../player/player.ts';
import type { PlaybackMetrics } from '../player/player-facts.ts';

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

type Counts = Pick<PlaybackMetrics, 'droppedFrames' | 'totalFrames' | 'stalls' | 'qualityAdjustments' | 'failures'>;

/** One second of one quadrant. Counts are those since its sample before. */
export interface QualitySample extends Counts, Pick<PlaybackMetrics, 'bufferedAheadSeconds' | 'width' | 'height'> {
  quadrant: Quadrant;
  /** Epoch milliseconds at its end. */
  at: number;
  /** What was on screen, or what failed in this second. */
  videoId: string | undefined;
  /** `bufferedAheadSeconds`, as alerts are to count it. */
  bufferLevelSeconds: number;
  /** Of the whole page in this second; null when no transfer ended in it. */
  bandwidthMbps: number | null;
  /** Of what plays: bytes of its file over its length. Null where that is not known. */
  kbps?: number | null;
}

/** Containers say of their length what their last frame does not quite reach. */
const endToleranceSeconds = 0.5;

/**
 * What has nothing more to fetch lacks no data, however little of it is left: neither a video of which all the rest is
 * there, nor one that has stopped.
 */
function bufferLevelOf(metrics: PlaybackMetrics): number {
  const { isPlaying, bufferedAheadSeconds: ahead, remainingSeconds } = metrics;
  const needsNone = !isPlaying || ahead >= remainingSeconds - endToleranceSeconds;
  return needsNone ? Math.max(ahead, limits.lowBufferSeconds) : ahead;
}

/** Whether any threshold of the dashboard is crossed in this second. */
export function isTroubled({ stalls, failures, ...sample }: QualitySample): boolean {
  const droppedPercent = (sample.droppedFrames / sample.totalFrames) * 100;
  return (
    stalls > 0 ||
    failures > 0 ||
    droppedPercent > limits.droppedFramesPercent ||
    sample.bufferLevelSeconds < limits.lowBufferSeconds
  );
}

/** A transfer that has ended, as the browser's resource timing has it: bytes, and milliseconds since the page began. */
type Transfer = Pick<PerformanceResourceTiming, 'transferSize' | 'responseStart' | 'responseEnd'>;

/** Of what is shorter, the time until its first byte says more than its bytes. */
const minBytes = limits.pieceMinBytes;
/** How much of the sums each transfer leaves of those before it: some ten of them count. */
const keptShare = 0.9;
/** A video that has just begun lacks data for a second or two everywhere. */
const lackingSeconds = 3;
/** Smaller changes are not worth a write. */
const minChange = 0.1;

/**
 * Learns how fast videos come over the network, all quadrants together, while bytes really come. Most of the time they
 * come as fast as they are played and no faster: what is measured then is less than what the network could give, and
 * counts only where it is more than what is known. While videos lack data, it is all that the network gives.
 */
export class NetworkSpeed {
  private bits = 0;
  private ms = 0;
  /** Until when transfers have been counted: those side by side share their time. */
  private countedUntil = 0;
  private secondsLacking = 0;
  private hasNew = false;
  private known = readLearned('kbps');
  private isStored = false;

  add({ transferSize, responseStart, responseEnd }: Transfer): void {
    if (!(transferSize >= minBytes && responseEnd > responseStart)) return;
    const ms = Math.max(0, responseEnd - Math.max(responseStart, this.countedUntil));
    this.countedUntil = Math.max(responseEnd, this.countedUntil);
    this.bits = this.bits * keptShare + transferSize * 8;
    this.ms = this.ms * keptShare + ms;
    this.hasNew = true;
  }

  /** To be called once a second, with what was sampled in it. */
  learn(samples: readonly QualitySample[]): void {
    const isLacking = samples.some(({ bufferLevelSeconds }) => bufferLevelSeconds < limits.lowBufferSeconds);
    this.secondsLacking = isLacking ? this.secondsLacking + 1 : 0;
    if (!this.hasNew) return;
    this.hasNew = false;
    // Bits per millisecond.
    const kbps = Math.round(this.bits / this.ms);
    if (kbps > (this.known ?? slowBelowKbps) || this.secondsLacking >= lackingSeconds) this.store(Math.max(1, kbps));
  }

  private store(kbps: number): void {
    const change = Math.abs(kbps - (this.known ?? 0));
    if (this.isStored && change < (this.known ?? 0) * minChange) return;
    this.known = kbps;
    this.isStored = true;
    storeLearned('kbps', kbps);
  }
}

interface BandwidthMeter {
  /** Megabits per second of what was fetched for videos in the last `ms`; null when no transfer ended in it. */
  read(ms: number): number | null;
  close(): void;
}

/**
 * Counts the bytes that videos brought over the wire, as the browser's resource timing has them. What came from a cache
 * counts nothing.
 * @param hear receives each transfer that has ended
 */
function openBandwidthMeter(hear: (transfer: PerformanceResourceTiming) => void): BandwidthMeter {
  let bytes = 0;
  const observer = new PerformanceObserver((list) => {
    for (const transfer of videosOf(list.getEntries())) {
      bytes += transfer.transferSize;
      hear(transfer);
    }
  });
  // What ended before: the first bytes of each video come as fast as they can.
  for (const transfer of videosOf(performance.getEntriesByType('resource'))) hear(transfer);
  observer.observe({ entryTypes: ['resource'] });
  return {
    read: (ms) => {
      const megabits = (bytes * 8) / 1_000_000;
      bytes = 0;
      return megabits > 0 ? megabits / (ms / 1000) : null;
    },
    close: () => observer.disconnect(),
  };
}

function videosOf(entries: PerformanceEntryList): PerformanceResourceTiming[] {
  return (entries as PerformanceResourceTiming[]).filter(({ initiatorType }) => initiatorType === 'video');
}
