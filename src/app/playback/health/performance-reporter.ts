import { buildAddress } from '#app/platform/http/address.ts';
import { reconnectWaitMs } from '#app/platform/http/recovery.ts';
import { reached, sendBeacon } from '#app/platform/http/send.ts';
import { fetchWithinLimit } from '#app/platform/http/time-limit.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { mayBeOnline } from '#app/platform/link.ts';
import { after, now } from '#app/platform/timers.ts';
import { recordPerformance } from '#contract/endpoints.ts';
import type { PerformanceReport } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { QualitySample } from './quality-sampler.ts';
import { isTroubled } from './quality-sampler.ts';

/**
 * Reports how the four quadrants play: together, every `performanceReportSeconds`, sooner while something is wrong, and
 * with what is left when the page is hidden or left. Whether it works shows nowhere.
 */
export class PerformanceReporter {
  private readonly unsent = new UnsentSamples();
  /** Since the last report, while there was something to send. */
  private seconds = 0;
  private isSending = false;
  /** Another call found no server, and none has been answered since. */
  private isAway = false;
  private failures = 0;
  private cancelRetry: (() => void) | null = null;

  /** Returns what stops it. What is unsent then is dropped. */
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

  /** To be called once a second, with what was sampled in it. */
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

  /** One call at a time. What has piled up without a network goes call by call. */
  private async send(): Promise<void> {
    if (this.isSending || this.isOffline) return;
    const samples = this.unsent.take();
    if (samples.length === 0) return;
    this.seconds = 0;
    this.isSending = true;
    const isDone = await sendReport(toReport(samples));
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
   * The page may not come back. What is on its way is sent to its end anyhow, and is not sent again here; where a beacon
   * cannot be had, a call goes as far as the browser lets it.
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
/** What four quadrants give in that time, also where the device's clock was set back meanwhile. */
const maxSamples = limits.performanceUnsentMinutes * 60 * quadrants.length;

/** Samples that wait to be sent, in memory alone: the oldest first, and those that nobody would take are dropped. */
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

  /** As many as one call takes. */
  take(): QualitySample[] {
    this.dropOldest();
    return this.samples.splice(0, limits.performanceSamplesPerCall);
  }

  /** They were not sent after all. */
  putBack(samples: readonly QualitySample[]): void {
    this.samples.unshift(...samples);
    this.dropOldest();
  }

  private dropOldest(): void {
    this.samples = this.samples.slice(-maxSamples).filter(({ at }) => now() - at <= maxAgeMs);
  }
}

/** As the server is told. Instants are the device's own: `sent_at` lets the server put them right. */
function toReport(samples: readonly QualitySample[]): PerformanceReport {
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

const address = buildAddress(recordPerformance.path, { quadrant: 'all' });
const accepted = 202;
const tooMany = 429;

/**
 * Sends a report in the background. It carries no token, as a beacon cannot, so that both are the same viewer's; and its
 * outcome says nothing about the connection: a blocker that refuses it must not make the app look offline. A page that
 * is left meanwhile does not end it.
 * @returns false where it may be sent again later. What was refused would be refused again.
 */
async function sendReport(report: PerformanceReport): Promise<boolean> {
  const options: RequestInit = {
    method: recordPerformance.method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(report),
    credentials: 'same-origin',
    keepalive: true,
  };
  try {
    const response = await fetchWithinLimit(address, options, limits.callTimeoutSeconds);
    const { status } = response;
    // An answer that is not read may hold its connection; whether its end comes does not matter.
    response.text().catch(() => {});
    // A captive portal answers with 200.
    return status === accepted || (status >= 400 && status < 500 && status !== tooMany);
  } catch {
    // The network is away.
    return false;
  }
}

/** Hands a report to the browser, which sends it also when the page is gone. False: the browser does not take it. */
function beaconReport(report: PerformanceReport): boolean {
  return sendBeacon(address, report);
}
