import { isPageSeen } from '#app/platform/page-sight.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { every, now } from '#device/timers.ts';
import { byQuadrant } from '../../../contract/quadrants.ts';
import { readLearned, storeLearned } from '../learned-device.ts';
import { slowBelowKbps } from '../media-budget.ts';
import type { Player } from '../player/player.ts';
import { openedPlayers } from '../player/player.ts';
import type { PlaybackMetrics } from '../player/player-facts.ts';

const everyMs = 1_000;
/** Samples kept per quadrant: as many as one performance report carries. */
const kept = limits.performanceSamplesPerCall;

const noCounts: Counts = { droppedFrames: 0, totalFrames: 0, stalls: 0, qualityAdjustments: 0, failures: 0 };
const rings = byQuadrant<QualitySample[]>(() => []);

/** The last samples of a quadrant, one per second, newest last. */
export function qualityOf(quadrant: Quadrant): readonly QualitySample[] {
  return rings[quadrant];
}

export function latestQuality(quadrant: Quadrant): QualitySample | null {
  return rings[quadrant][rings[quadrant].length - 1] ?? null;
}

/**
 * Samples the four players once a second while the page is visible. A player that is paused,
 * covered, empty, ended or broken gives no sample, except in a second with an incident: a viewer's
 * pause must not look like a lack of data.
 * @param listener receives the samples of each second, even when there are none
 * @param kbpsIn the bitrate of the encoding that a sample is of; null when unknown
 * @returns a function that stops sampling
 */
export function startSampler(
  listener: (samples: QualitySample[]) => void = () => {},
  kbpsIn: (sample: QualitySample) => number | null = () => null,
): () => void {
  const speed = new NetworkSpeed();
  const meter = openBandwidthMeter((transfer) => speed.add(transfer));
  const counted = new WeakMap<Player, Counts>();
  const stop = every(everyMs, () => {
    const bandwidthMbps = meter.read(everyMs);
    if (!isPageSeen()) return;
    const samples: QualitySample[] = [];
    for (const [quadrant, player] of openedPlayers()) {
      const metrics = player.metrics();
      const counts = since(counted.get(player) ?? noCounts, metrics);
      if (!metrics.isPlaying && !hasIncident(counts)) continue;
      counted.set(player, metrics);
      const sample = toSample({ ...metrics, ...counts }, { quadrant, at: now(), bandwidthMbps });
      samples.push({ ...sample, kbps: kbpsIn(sample) });
    }
    for (const sample of samples) if (rings[sample.quadrant].push(sample) > kept) rings[sample.quadrant].shift();
    speed.learn(samples);
    listener(samples);
  });
  return () => {
    stop();
    meter.close();
    for (const ring of Object.values(rings)) ring.length = 0;
  };
}

/**
 * A player's counts never decrease, except that some engines reset an element's frame counts when
 * they suspend it.
 */
function since(before: Counts, present: Counts): Counts {
  const droppedFrames = Math.max(0, present.droppedFrames - before.droppedFrames);
  return {
    droppedFrames,
    // The two counts may be read at different instants.
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
  const { isPlaying: _, failedVideoId, remainingSeconds, ...shown } = metrics;
  return {
    ...of,
    ...shown,
    videoId: shown.failures > 0 ? failedVideoId : shown.videoId,
    bufferLevelSeconds: bufferLevelOf(metrics),
    missingSeconds: remainingSeconds - shown.bufferedAheadSeconds,
  };
}

type Counts = Pick<PlaybackMetrics, 'droppedFrames' | 'totalFrames' | 'stalls' | 'qualityAdjustments' | 'failures'>;

/** The sample of one quadrant in one second. Counts are relative to the previous sample. */
export interface QualitySample extends Counts, Pick<PlaybackMetrics, 'bufferedAheadSeconds' | 'width' | 'height'> {
  quadrant: Quadrant;
  /** Epoch milliseconds at the end of the second. */
  at: number;
  /** The video on screen, or the one that failed in this second. */
  videoId: string | undefined;
  /** `bufferedAheadSeconds`, raised where a low value is no problem; alerts use this one. */
  bufferLevelSeconds: number;
  /** Seconds of the video that have not arrived; NaN while its duration is unknown. */
  missingSeconds?: number;
  /** Throughput of the whole page in this second; null when no transfer ended in it. */
  bandwidthMbps: number | null;
  /** Bitrate of the encoding that plays: file size divided by duration. Null when unknown. */
  kbps?: number | null;
}

/** Containers report a duration slightly longer than the end of their last frame. */
const endToleranceSeconds = 0.5;

/**
 * The buffer level for alerts. A video that needs no more data is never low: one that is buffered
 * to its end, or one that is not playing.
 */
function bufferLevelOf(metrics: PlaybackMetrics): number {
  const { isPlaying, bufferedAheadSeconds: ahead, remainingSeconds } = metrics;
  const needsNone = !isPlaying || ahead >= remainingSeconds - endToleranceSeconds;
  return needsNone ? Math.max(ahead, limits.lowBufferSeconds) : ahead;
}

/**
 * A finished transfer from the browser's resource timing: bytes, and milliseconds since navigation
 * start.
 */
type Transfer = Pick<PerformanceResourceTiming, 'transferSize' | 'responseStart' | 'responseEnd'>;

/** Smaller transfers are ignored: latency, not throughput, dominates their duration. */
const minBytes = limits.pieceMinBytes;
/** Weight that older transfers keep when one is added: about ten of them count. */
const keptShare = 0.9;
/** Every video lacks data for a second or two after its start. */
const lackingSeconds = 3;
/** Seconds of arrivals after which transfers under way are judged: a slow network ends few. */
const arrivingSeconds = 15;
/** Smaller relative changes are not stored. */
const minChange = 0.1;

const keyOf = ({ quadrant, videoId }: QualitySample) => `${quadrant} ${videoId}`;

/**
 * Measures the network throughput of all quadrants together while data arrives. Most of the time
 * data arrives only as fast as it is played: such a measurement is a lower bound, and counts only
 * where it exceeds the known value. While videos lack data, the measurement is the full throughput.
 */
export class NetworkSpeed {
  private bits = 0;
  private ms = 0;
  /** End of the last counted transfer, in milliseconds; parallel transfers share their time. */
  private countedUntil = 0;
  private secondsLacking = 0;
  private hasNew = false;
  /** Kilobits of unfinished transfers that have arrived since videos lack data. */
  private arrived = { kilobits: 0, seconds: 0 };
  /** The seconds of each video that had not arrived a second ago, by `keyOf`. */
  private missing = new Map<string, number>();
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

  /** To be called once a second with the samples of that second. */
  learn(samples: readonly QualitySample[]): void {
    const isLacking = samples.some(({ bufferLevelSeconds }) => bufferLevelSeconds < limits.lowBufferSeconds);
    this.secondsLacking = isLacking ? this.secondsLacking + 1 : 0;
    this.noteArrivals(samples);
    if (!this.hasNew) return;
    this.hasNew = false;
    // Bits per millisecond.
    const kbps = Math.round(this.bits / this.ms);
    if (kbps > (this.known ?? slowBelowKbps) || this.secondsLacking >= lackingSeconds) this.store(Math.max(1, kbps));
  }

  /** Judges what has arrived of transfers under way while videos lack data. */
  private noteArrivals(samples: readonly QualitySample[]): void {
    const { missing, arrived } = this;
    this.missing = new Map(samples.map((one) => [keyOf(one), Number(one.missingSeconds)]));
    // It is NaN where a video has just come, or one's bitrate is unknown.
    const kilobits = samples.reduce((sum, one) => {
      const seconds = Number(missing.get(keyOf(one))) - Number(one.missingSeconds);
      return sum + Math.max(0, seconds) * (one.kbps ?? Number.NaN);
    }, 0);
    arrived.kilobits += kilobits > 0 ? kilobits : 0;
    arrived.seconds += kilobits > 0 ? 1 : 0;
    const kbps = Math.max(1, Math.round(arrived.kilobits / arrived.seconds));
    const isJudged = arrived.seconds >= arrivingSeconds;
    if (isJudged && kbps < (this.known ?? slowBelowKbps)) {
      Object.assign(this, { bits: arrived.kilobits * 1_000, ms: arrived.seconds * 1_000 });
      this.store(kbps);
    }
    if (isJudged || this.hasNew || this.secondsLacking === 0) this.arrived = { kilobits: 0, seconds: 0 };
  }

  private store(kbps: number): void {
    const change = Math.abs(kbps - (this.known ?? 0));
    if (this.isStored && change < (this.known ?? 0) * minChange) return;
    this.known = kbps;
    this.isStored = true;
    storeLearned('kbps', kbps);
  }
}

/**
 * Counts the bytes that videos transfer over the network, from the browser's resource timing.
 * Cached responses count as 0.
 * @param listener receives each finished transfer
 * @returns `read`: megabits per second in the last `ms` milliseconds; null when no transfer ended
 */
function openBandwidthMeter(listener: (transfer: PerformanceResourceTiming) => void) {
  let bytes = 0;
  const observer = new PerformanceObserver((list) => {
    for (const transfer of videosOf(list.getEntries())) {
      bytes += transfer.transferSize;
      listener(transfer);
    }
  });
  // Reads the transfers that ended before: the first bytes of each video arrive at full speed.
  for (const transfer of videosOf(performance.getEntriesByType('resource'))) listener(transfer);
  observer.observe({ entryTypes: ['resource'] });
  return {
    read: (ms: number) => {
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
