import { vi } from 'vitest';
import { hideControls } from '#app/features/feed/controls/controls-store.ts';
import { openFeed, resetFeed, startAll } from '#app/features/feed/feed-store.ts';
import { resetConnection } from '#app/state/connection.ts';
import { resetSiteConfig } from '#app/state/site-config.ts';
import { shownVideos } from '#app/state/unsent.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FakeLibrary } from './fake-library.ts';
import { FakeScreen } from './fake-screen.ts';
import type { QuadrantSummary } from './quadrant-summary.ts';
import { summaryOf } from './quadrant-summary.ts';

/** A feed in Node, on a fake clock, before a library of sixteen videos. */
export class FeedStage {
  readonly screen: FakeScreen;
  readonly library = new FakeLibrary(...'abcdefghijklmnop');

  constructor() {
    vi.useFakeTimers();
    this.screen = new FakeScreen();
  }

  /** Four videos play, and the one after each is prepared. */
  async play(): Promise<void> {
    openFeed();
    await this.arrive();
    this.screen.show(...quadrants);
    startAll();
    await this.arrive();
  }

  /** Lets replies arrive; no time passes. */
  async arrive(): Promise<void> {
    await vi.advanceTimersByTimeAsync(0);
  }

  async seconds(count: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(count * 1000);
  }

  summary(quadrant: Quadrant): QuadrantSummary {
    return summaryOf(quadrant);
  }

  shownIds(): (string | undefined)[] {
    return quadrants.map((quadrant) => this.summary(quadrant).shown?.id);
  }

  nextIds(): (string | undefined)[] {
    return quadrants.map((quadrant) => this.summary(quadrant).next?.id);
  }

  end(): void {
    hideControls();
    resetFeed();
    resetConnection();
    resetSiteConfig();
    shownVideos.untold = [];
    vi.useRealTimers();
    vi.unstubAllGlobals();
  }
}
