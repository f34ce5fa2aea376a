import { keepsJsonAlive } from '#app/platform/capabilities.ts';
import { buildAddress } from '#app/platform/http/address.ts';
import { reached, sendBeacon } from '#app/platform/http/send.ts';
import { fetchWithinLimit } from '#app/platform/http/time-limit.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { mayBeOnline, reconnectWaitMs } from '#app/platform/link.ts';
import { recordPerformance } from '#contract/endpoints.ts';
import type { PerformanceReport } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import { after, now } from '#device/timers.ts';
import type { QualitySample } from './quality-sampler.ts';
import type { SampleSum } from './unsent-samples.ts';
import { UnsentSamples } from './unsent-samples.ts';

/**
 * Reports the playback quality of the four quadrants in one call: every `performanceReportSeconds`,
 * earlier while a threshold is crossed, and once more when the page is hidden or left. A device
 * that is not among the measured ones reports seconds with stalls and failures alone. Failures to
 * report are not shown to the viewer.
 */
export class PerformanceReporter {
  private readonly unsent = new UnsentSamples();
  private readonly readOneIn: () => number;
  /** Decides whether this page is among the measured ones, whatever their share. */
  private readonly draw = Math.random();
  /** Seconds since the last report during which there were unsent samples. */
  private seconds = 0;
  private isSending = false;
  /** A call of the app failed to reach the server, and none has been answered since. */
  private isAway = false;
  private failures = 0;
  private cancelRetry: (() => void) | null = null;

  /** @param readOneIn one device in so many is measured */
  constructor(readOneIn: () => number = () => 1) {
    this.readOneIn = readOneIn;
  }

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
    this.unsent.add(this.standsFor > 0 ? samples : samples.filter(({ stalls, failures }) => stalls + failures > 0));
    this.seconds = this.unsent.isEmpty ? 0 : this.seconds + 1;
    if (this.isDue) void this.send();
  }

  /** How many devices this one stands for, itself among them. */
  private get standsFor(): number {
    const oneIn = this.readOneIn();
    return this.draw * oneIn < 1 ? oneIn : 0;
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
    const isDone = await sendReport(samples, { stands_for: this.standsFor });
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
      if (samples.length === 0 || beaconReport(toReport(samples, { stands_for: this.standsFor }))) continue;
      this.unsent.putBack(samples);
      void this.send();
      return;
    }
  };
}

/** The facts in a report besides its samples. */
type ReportFacts = Pick<PerformanceReport, 'venue' | 'stands_for'>;

/**
 * Converts samples to the report format. Timestamps use the device's clock; `sent_at` lets the
 * server correct them.
 */
function toReport(samples: readonly SampleSum[], about: ReportFacts): PerformanceReport {
  return { form: currentForm(), sent_at: toIso(now()), samples: samples.map(toWire), ...about };
}

function toWire(sample: SampleSum): PerformanceReport['samples'][number] {
  const { videoId, failures, kbps } = sample;
  return {
    timestamp: toIso(sample.at),
    quadrant: sample.quadrant,
    seconds: sample.seconds,
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
export async function sendReport(samples: readonly SampleSum[], about: ReportFacts): Promise<boolean> {
  const options: RequestInit = {
    method: recordPerformance.method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(toReport(samples, about)),
    credentials: 'same-origin',
    ...(keepsJsonAlive() ? { keepalive: true } : {}),
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
