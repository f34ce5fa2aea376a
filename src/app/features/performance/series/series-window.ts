import { minutesOf } from '#contract/rules/health.ts';
import type { ShownReadings } from '../performance-store.ts';

/** Where the charts of a refresh begin and end, in epoch milliseconds, and what they join. */
export interface SeriesWindow {
  from: number;
  to: number;
  /** Points that are farther apart have steps between them in which nothing was measured. */
  maxGapMs: number;
}

/** Up to 15 minutes the server's steps have 10 seconds; of a longer window each is at most a 60th. */
const minGapMs = 20_000;
const stepsInWindow = 40;

/**
 * The window ends now, by the server's clock, which wrote the points: this device's may be wrong by more than a window.
 */
export function seriesWindowOf({ window, bandwidth, quadrants, readAt }: ShownReadings): SeriesWindow {
  const windowMs = minutesOf(window) * 60_000;
  const maxGapMs = Math.max(minGapMs, windowMs / stepsInWindow);
  const points = [bandwidth.history, ...quadrants.map(({ series }) => series)].flatMap((all) => all.map(timeOf));
  const earliest = Math.max(...points);
  const latest = Math.min(...points) + windowMs + maxGapMs;
  const to = Math.max(earliest, Math.min(latest, readAt));
  return { from: to - windowMs, to, maxGapMs };
}

function timeOf({ timestamp }: { readonly timestamp: string }): number {
  return Date.parse(timestamp);
}
