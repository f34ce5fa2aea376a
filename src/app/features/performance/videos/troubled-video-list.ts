import { call } from '#app/platform/http/call.ts';
import { Resource } from '#app/ui/resource.ts';
import { listTroubledVideos } from '#contract/endpoints.ts';
import type { TroubledVideos } from '#contract/entities/performance.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { TimeWindow } from '#contract/rules/health.ts';

/** Videos that stalled or broke off in a window of time. */
export class TroubledVideoList {
  readonly resource: Resource<TroubledVideos>;
  private window: TimeWindow;

  constructor(window: TimeWindow) {
    this.window = window;
    this.resource = new Resource<TroubledVideos>({
      load: (signal) => call(listTroubledVideos, { query: { duration: this.window }, signal }),
      toSentence: failures.loadTroubledVideos,
      refreshMs: () => limits.dashboardRefreshMs,
    });
  }

  /** What is shown stays until those of the other window are there. */
  choose(window: TimeWindow): void {
    if (window === this.window) return;
    this.window = window;
    void this.resource.reload();
  }
}
