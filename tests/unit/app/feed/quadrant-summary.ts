import { feed } from '#app/features/feed/feed-state.ts';
import type { Failure, FeedVideo } from '#app/features/feed/quadrant/quadrant.ts';
import { comingOf, failureOf, reasonOf } from '#app/features/feed/quadrant/quadrant.ts';
import type { Quadrant } from '#contract/quadrants.ts';

export interface QuadrantSummary {
  shown: FeedVideo | null;
  next: FeedVideo | null;
  past: readonly FeedVideo[];
  recent: readonly string[];
  coming: FeedVideo | null;
  comingAt: number;
  failure: Failure | null;
  isDownloading: boolean;
  /** A call is open for the screen. */
  isAsking: boolean;
  isPinned: boolean;
  pinnedFailures: number;
  isPaused: boolean;
}

/** What can be said of a quadrant, flat. */
export function summaryOf(quadrant: Quadrant): QuadrantSummary {
  const state = feed.quadrants[quadrant];
  const { activity, pinned, shown, next, past, recent, isPaused } = state;
  return {
    ...{ shown, next, past, recent, isPaused },
    coming: comingOf(state),
    comingAt: activity.kind === 'coming' ? activity.at : 0,
    failure: failureOf(state),
    isDownloading: reasonOf(state) === 'downloading',
    isAsking: activity.kind === 'asking' && activity.for === 'screen',
    isPinned: pinned !== null,
    pinnedFailures: pinned?.failures ?? 0,
  };
}
