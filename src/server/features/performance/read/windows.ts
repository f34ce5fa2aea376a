import type { TimeWindow } from '#contract/rules/time-window.ts';
import { minutesOf } from '#contract/rules/time-window.ts';

/** How a window is read: which slots are summed, and how long a point of its series is. */
interface WindowShape {
  slotSeconds: 10 | 60;
  stepSeconds: number;
}

export const playbackWindows: Readonly<Record<TimeWindow, WindowShape>> = {
  '1m': { slotSeconds: 10, stepSeconds: 10 },
  '5m': { slotSeconds: 10, stepSeconds: 10 },
  '15m': { slotSeconds: 10, stepSeconds: 10 },
  '1h': { slotSeconds: 60, stepSeconds: 60 },
  '6h': { slotSeconds: 60, stepSeconds: 300 },
  '24h': { slotSeconds: 60, stepSeconds: 900 },
};

/**
 * The first and the last slot of a window: it begins with the one that its begin falls into.
 * @param slotSeconds how long a slot is
 * @param now epoch milliseconds, as is the answer
 */
export function slotsOf(window: TimeWindow, slotSeconds: number, now: number): { from: number; until: number } {
  const slotMs = slotSeconds * 1_000;
  const slotOf = (instant: number) => Math.floor(instant / slotMs) * slotMs;
  return { from: slotOf(now - minutesOf(window) * 60_000), until: slotOf(now) };
}
