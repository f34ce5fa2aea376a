import { reconnectWaitMs } from '#app/platform/http/reconnect-wait.ts';
import { reached } from '#app/platform/http/send.ts';
import { mayBeOnline } from '#app/platform/link.ts';
import { after } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import { toReport } from './performance-report.ts';
import type { QualitySample } from './quality-sample.ts';
import { beaconReport, sendReport } from './send-report.ts';
import { UnsentSamples } from './unsent-samples.ts';

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
