import { buildAddress } from '#app/platform/http/address.ts';
import { reached, sendBeacon } from '#app/platform/http/send.ts';
import { fetchWithinLimit } from '#app/platform/http/time-limit.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { mayBeOnline, reconnectWaitMs } from '#app/platform/link.ts';
import { recordPerformance } from '#contract/endpoints.ts';
import type { PerformanceReport } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { after, now } from '#device/timers.ts';
import type { QualitySample } from './quality-sampler.ts';
import { isTroubled } from './quality-sampler.ts';

/**
 * Reports the playback quality of the four quadrants in one call: every `performanceReportSeconds`,
 * earlier while a threshold is crossed, and once more when the page is hidden or left. Failures to
 * report are not shown to the viewer.
 */
export class PerformanceReporter {
  private readonly unsent = new UnsentSamples();
  /** Seconds since the last report during which there were unsent samples. */
  private seconds = 0;
  private isSending = false;
  /** A call of the app failed to reach the server, and none has been answered since. */
  private isAway = false;
  private failures = 0;
  private cancelRetry: (() => void) | null = null;

  /** Returns a function that stops reporting; samples not sent by then are lost. */
  start(): () => void {
    const hide = () => document.hidden && this.leave();
    const stopReached = reached.listen((outcome) => {
      if (outcome !== 'silent') this.isAway = outcome === 'away';
    });
    document.addEventListener('visibilitychange', hide);
    window.addEventListener('pagehide', this.leave);
    return () => {
      stopReached();
      document.removeEventListener('visibilitychange', hide);
      window.removeEventListener('pagehide', this.leave);
      this.cancelRetry?.();
    };
  }

  /** To be called once a second with the samples of that second. */
  add(samples: readonly QualitySample[]): void {
    this.unsent.add(samples);
    this.seconds = this.unsent.isEmpty ? 0 : this.seconds + 1;
    if (this.isDue) void this.send();
  }

  private get isDue(): boolean {
    const { performanceReportSeconds, performanceTroubleSeconds } = limits;
    if (this.seconds < performanceTroubleSeconds || this.cancelRetry) return false;
    return this.seconds >= performanceReportSeconds || this.unsent.areTroubled;
  }

  private get isOffline(): boolean {
    return this.isAway || !mayBeOnline();
  }

  /** Only one call is in flight. A backlog collected while offline is sent call after call. */
  private async send(): Promise<void> {
    if (this.isSending || this.isOffline) return;
    const samples = this.unsent.take();
    if (samples.length === 0) return;
    this.seconds = 0;
    this.isSending = true;
    const isDone = await sendReport(samples);
    this.isSending = false;
    if (!isDone) {
      this.unsent.putBack(samples);
      this.retryLater();
      return;
    }
    this.failures = 0;
    if (this.unsent.hasFullCall) void this.send();
  }

  private retryLater(): void {
    this.cancelRetry?.();
    this.cancelRetry = after(reconnectWaitMs(this.failures, Math.random()), () => {
      this.cancelRetry = null;
      void this.send();
    });
    this.failures += 1;
  }

  /**
   * Sends the rest when the page may not return. A call already in flight has `keepalive` and is
   * not repeated; where the browser accepts no beacon, an ordinary call is tried.
   */
  private readonly leave = (): void => {
    while (!this.unsent.isEmpty && !this.isOffline) {
      const samples = this.unsent.take();
      this.seconds = 0;
      if (samples.length === 0 || beaconReport(toReport(samples))) continue;
      this.unsent.putBack(samples);
      void this.send();
      return;
    }
  };
}

const maxAgeMs = limits.performanceUnsentMinutes * 60_000;
/**
 * The samples that four quadrants produce within the maximum age; it limits memory when the
 * device's clock is set back.
 */
const maxSamples = limits.performanceUnsentMinutes * 60 * quadrants.length;

/**
 * Samples waiting to be sent, oldest first, in memory only. Samples that are too old are dropped.
 */
class UnsentSamples {
  private samples: QualitySample[] = [];

  get isEmpty(): boolean {
    return this.samples.length === 0;
  }

  get hasFullCall(): boolean {
    return this.samples.length >= limits.performanceSamplesPerCall;
  }

  get areTroubled(): boolean {
    return this.samples.some(isTroubled);
  }

  add(samples: readonly QualitySample[]): void {
    this.samples.push(...samples);
    this.dropOldest();
  }

  /** Removes and returns the samples for one call. */
  take(): QualitySample[] {
    this.dropOldest();
    return this.samples.splice(0, limits.performanceSamplesPerCall);
  }

  /** Returns samples whose call failed. */
  putBack(samples: readonly QualitySample[]): void {
    this.samples.unshift(...samples);
    this.dropOldest();
  }

  private dropOldest(): void {
    this.samples = this.samples.slice(-maxSamples).filter(({ at }) => now() - at <= maxAgeMs);
  }
}

/**
 * Converts samples to the report format. Timestamps use the device's clock; `sent_at` lets the
 * server correct them.
 */
function toReport(samples: readonly QualitySample[], venue?: PerformanceReport['venue']): PerformanceReport {
  return { form: currentForm(), sent_at: toIso(now()), samples: samples.map(toWire), ...(venue && { venue }) };
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

const address = buildAddress(recordPerformance.path, { quadrant: 'all' });
const accepted = 202;
const tooMany = 429;

/**
 * Sends a report in the background. It carries no token, because a beacon cannot, so that both
 * kinds of report belong to the same viewer. Its outcome does not affect the connection state: a
 * content blocker that refuses it must not make the app look offline. The request survives leaving
 * the page.
 * @returns false when the report may be sent again later; one that the server refused would be
 * refused again
 */
export async function sendReport(
  samples: readonly QualitySample[],
  venue?: PerformanceReport['venue'],
): Promise<boolean> {
  const options: RequestInit = {
    method: recordPerformance.method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(toReport(samples, venue)),
    credentials: 'same-origin',
    keepalive: true,
  };
  try {
    const response = await fetchWithinLimit(address, options, limits.callTimeoutSeconds);
    const { status } = response;
    // An unread body may keep its connection busy; its outcome does not matter.
    response.text().catch(() => {});
    // A captive portal answers with 200.
    return status === accepted || (status >= 400 && status < 500 && status !== tooMany);
  } catch {
    // The network is unreachable.
    return false;
  }
}

/**
 * Hands a report to the browser, which sends it even after the page is closed. Returns false when
 * the browser does not accept it.
 */
function beaconReport(report: PerformanceReport): boolean {
  return sendBeacon(address, report);
}
