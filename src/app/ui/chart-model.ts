import type { Quadrant } from '#contract/quadrants.ts';

/** One value of a series. */
export interface ChartPoint {
  /** Epoch milliseconds. */
  at: number;
  /** Null when nothing was measured: the line has a gap. */
  value: number | null;
}

interface Measured {
  at: number;
  value: number;
}

export interface Series {
  /** Sorted by time. */
  points: readonly ChartPoint[];
  /** Start and end of the window, in epoch milliseconds. */
  from: number;
  to: number;
  /**
   * Points further apart than this are not joined. When omitted, only points without a value
   * interrupt the line.
   */
  maxGapMs?: number | undefined;
}

/**
 * Returns the points within the window and the last one before it, from which the line enters. Each
 * gap longer than `maxGapMs` gets a point without a value.
 */
export function pointsOf({ points, from, to, maxGapMs = Number.POSITIVE_INFINITY }: Series): ChartPoint[] {
  const shown = points.filter(({ at }, index) => at <= to && (at >= from || (points[index + 1]?.at ?? from) > from));
  return shown.flatMap((point, index) => {
    const before = shown[index - 1];
    if (!before || point.at - before.at <= maxGapMs) return [point];
    return [{ at: before.at + 1, value: null }, point];
  });
}

/** The runs of points without a gap; a run of one point needs a dot, because no line leads to it. */
export function runsOf(points: readonly ChartPoint[]): Measured[][] {
  const runs: Measured[][] = [[]];
  for (const { at, value } of points) {
    if (value === null) runs.push([]);
    else runs[runs.length - 1]?.push({ at, value });
  }
  return runs.filter(({ length }) => length > 0);
}

/** The latest point with a value. */
export function lastValue(points: readonly ChartPoint[]): Measured | null {
  for (let index = points.length - 1; index >= 0; index--) {
    const { at, value } = points[index] as ChartPoint;
    if (value !== null) return { at, value };
  }
  return null;
}

/** Returns every nth point, at most `max`, including the latest. */
export function thinPoints(points: readonly ChartPoint[], max: number): ChartPoint[] {
  const step = Math.max(1, Math.ceil(points.length / max));
  return points.filter((_, index) => (points.length - 1 - index) % step === 0);
}

interface Tick {
  /** Position on its axis: a value, or epoch milliseconds. */
  at: number;
  words: string;
}

const maxValueSteps = 4;
const maxTimeSteps = 6;

/** Step sizes of the value axis within a power of ten. */
const niceSteps = [1, 2, 5, 10];

/** Ticks from 0 to the first round step at or above `highest`; the last one ends the axis. */
export function valueTicks(highest: number): Tick[] {
  const atLeast = (highest > 0 ? highest : 1) / maxValueSteps;
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const step = power * (niceSteps.find((nice) => nice * power >= atLeast) ?? 10);
  const count = Math.max(1, Math.ceil(roundOff((highest > 0 ? highest : 1) / step)));
  return Array.from({ length: count + 1 }, (_, index) => {
    const at = roundOff(index * step);
    return { at, words: at.toLocaleString() };
  });
}

/** Removes binary rounding errors: 0.30000000000000004. */
function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}

/** Units of the time axis; `upToMs` is the longest span for which a unit is used. */
const timeUnits = [
  { words: 's', ms: 1_000, upToMs: 120_000 },
  { words: 'min', ms: 60_000, upToMs: 7_200_000 },
  { words: 'h', ms: 3_600_000, upToMs: Number.POSITIVE_INFINITY },
];

/** Step sizes of the time axis, in its unit. */
const timeSteps = [1, 2, 3, 4, 5, 10, 15, 20, 30, 60];

/**
 * Ticks from the start of the window to now: '5 min ago', '4', '3', '2', '1', 'now'.
 * @param from epoch milliseconds
 */
export function timeTicks(from: number, to: number): Tick[] {
  const span = to - from;
  const unit = timeUnits.find(({ upToMs }) => span <= upToMs) ?? { words: 's', ms: 1_000 };
  const units = Math.round(span / unit.ms);
  const step = timeSteps.find((one) => units / one <= maxTimeSteps) ?? units;
  const first = { at: from, words: `${units} ${unit.words} ago` };
  const between: Tick[] = [];
  for (let ago = units - step; ago > 0; ago -= step) between.push({ at: to - ago * unit.ms, words: String(ago) });
  return [first, ...between, { at: to, words: 'now' }];
}

/**
 * Outlines around the origin, about 1 in radius: the quadrants' lines differ by shape as well as by
 * colour (§3 of the design language).
 */
export const markers: Record<Quadrant, string> = {
  'top-left': 'M-1 0a1 1 0 1 1 2 0a1 1 0 1 1-2 0Z',
  'top-right': 'M-.9-.9H.9V.9H-.9Z',
  'bottom-left': 'M0-1.1L1.1 .9H-1.1Z',
  'bottom-right': 'M0-1.25L1.25 0L0 1.25L-1.25 0Z',
};
