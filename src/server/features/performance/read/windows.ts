import type { timeWindows } from '#contract/rules/time-window.ts';

export type TimeWindow = (typeof timeWindows)[number];

/** How a window is read: `S` are the lengths of the slots that are summed, `stepSeconds` that of a point of its series. */
interface WindowShape<S extends number> {
  minutes: number;
  slotSeconds: S;
  stepSeconds: number;
}

export const playbackWindows: Readonly<Record<TimeWindow, WindowShape<10 | 60>>> = {
  '1m': { minutes: 1, slotSeconds: 10, stepSeconds: 10 },
  '5m': { minutes: 5, slotSeconds: 10, stepSeconds: 10 },
  '15m': { minutes: 15, slotSeconds: 10, stepSeconds: 10 },
  '1h': { minutes: 60, slotSeconds: 60, stepSeconds: 60 },
  '6h': { minutes: 360, slotSeconds: 60, stepSeconds: 300 },
  '24h': { minutes: 1_440, slotSeconds: 60, stepSeconds: 900 },
};

/** The first and the last slot of a window: it begins with the one that its begin falls into. Epoch milliseconds. */
export function slotsOf(
  { minutes, slotSeconds }: Pick<WindowShape<number>, 'minutes' | 'slotSeconds'>,
  now: number,
): { from: number; until: number } {
  const slotMs = slotSeconds * 1_000;
  const slotOf = (instant: number) => Math.floor(instant / slotMs) * slotMs;
  return { from: slotOf(now - minutes * 60_000), until: slotOf(now) };
}
