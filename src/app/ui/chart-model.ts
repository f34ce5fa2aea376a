import type { Quadrant } from '#contract/quadrants.ts';

/** One series over a window of time. */
export interface PlotModel {
  /** In the order of time; the first may lie before the window. */
  points: readonly ChartPoint[];
  /** Epoch milliseconds. */
  from: number;
  to: number;
  /** The top of the value axis, which begins at 0. */
  top: number;
  /** Those of the value axis; without them it has none. */
  valueTicks: readonly Tick[];
  /** Whether time has labels, and the line an area below. */
  hasScales: boolean;
  marker: MarkerShape;
  /** A dashed line, with its words where there are any. */
  threshold?: { value: number; words?: string } | undefined;
}

/** The value axis reaches that many times the threshold at least: there its words and the line have room. */
export const headroom = 2;

/** One value of a series. */
export interface ChartPoint {
  /** Epoch milliseconds. */
  at: number;
  /** Null: nothing was measured, and the line has a gap. */
  value: number | null;
}

export interface Series {
  /** In the order of time. */
  points: readonly ChartPoint[];
  /** Where the window begins and ends, in epoch milliseconds. */
  from: number;
  to: number;
  /** Points that are farther apart are not joined. Absent: all are, but for those without a value. */
  maxGapMs?: number | undefined;
}

/**
 * What lies in the window, and the point before it, from which the line enters; with a point without a value in each
 * gap that is longer than `maxGapMs`.
 */
export function pointsOf({ points, from, to, maxGapMs = Number.POSITIVE_INFINITY }: Series): ChartPoint[] {
  const shown = points.filter(({ at }, index) => at <= to && (at >= from || (points[index + 1]?.at ?? from) > from));
  return shown.flatMap((point, index) => {
    const before = shown[index - 1];
    if (!before || point.at - before.at <= maxGapMs) return [point];
    return [{ at: before.at + 1, value: null }, point];
  });
}

/** Indexes of values between two gaps: no line leads to them, so each needs a dot. */
export function findLonePoints(values: readonly (number | null | undefined)[]): number[] {
  const isGap = (index: number) => (values[index] ?? null) === null;
  return values.flatMap((_, index) => (!isGap(index) && isGap(index - 1) && isGap(index + 1) ? [index] : []));
}

/** The newest point that has a value. */
export function lastValue(points: readonly ChartPoint[]): { at: number; value: number } | null {
  for (let index = points.length - 1; index >= 0; index--) {
    const { at, value } = points[index] as ChartPoint;
    if (value !== null) return { at, value };
  }
  return null;
}

/** Every nth point, `max` at most, the newest among them. */
export function thinPoints(points: readonly ChartPoint[], max: number): ChartPoint[] {
  const step = Math.max(1, Math.ceil(points.length / max));
  return points.filter((_, index) => (points.length - 1 - index) % step === 0);
}

interface Tick {
  /** On its axis: a value, or epoch milliseconds. */
  at: number;
  words: string;
}

const maxValueSteps = 4;
const maxTimeSteps = 6;

/** Steps of the value axis, for each power of ten. */
const niceSteps = [1, 2, 5, 10];

/** From 0 to the first round step at or above `highest`; the last one is the top of the axis. */
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

/** Without what binary fractions add: 0.30000000000000004. */
function roundOff(value: number): number {
  return Number(value.toPrecision(12));
}

/** Units of the time axis, each with the span up to which it is used, in milliseconds. */
const timeUnits = [
  { words: 's', ms: 1_000, upToMs: 120_000 },
  { words: 'min', ms: 60_000, upToMs: 7_200_000 },
  { words: 'h', ms: 3_600_000, upToMs: Number.POSITIVE_INFINITY },
];

/** Steps of the time axis, in its unit. */
const timeSteps = [1, 2, 3, 4, 5, 10, 15, 20, 30, 60];

/**
 * From the beginning of the window to now: '5 min ago', '4', '3', '2', '1', 'now'.
 * @param from epoch milliseconds
 * @param isNarrow whether there is room for the first and the last alone
 */
export function timeTicks(from: number, to: number, isNarrow: boolean): Tick[] {
  const span = to - from;
  const unit = timeUnits.find(({ upToMs }) => span <= upToMs) ?? { words: 's', ms: 1_000 };
  const units = Math.round(span / unit.ms);
  const step = timeSteps.find((one) => units / one <= maxTimeSteps) ?? units;
  const first = { at: from, words: `${units} ${unit.words} ago` };
  const between: Tick[] = [];
  for (let ago = units - step; ago > 0 && !isNarrow; ago -= step)
    between.push({ at: to - ago * unit.ms, words: String(ago) });
  return [first, ...between, { at: to, words: 'now' }];
}

type MarkerShape = 'circle' | 'square' | 'triangle' | 'diamond';

/** Beside the colour of a quadrant, what tells its line from the others (§3 of the design language). */
export const markerOf: Record<Quadrant, MarkerShape> = {
  'top-left': 'circle',
  'top-right': 'square',
  'bottom-left': 'triangle',
  'bottom-right': 'diamond',
};

/** Corners around the middle, with a radius of 1. */
const corners: Record<Exclude<MarkerShape, 'circle'>, readonly (readonly [number, number])[]> = {
  square: [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  triangle: [
    [0, -1.1],
    [1.1, 0.9],
    [-1.1, 0.9],
  ],
  diamond: [
    [0, -1.25],
    [1.25, 0],
    [0, 1.25],
    [-1.25, 0],
  ],
};

/** Adds the shape to the path of `context`, around `x`, `y`. */
export function traceMarker(context: CanvasRenderingContext2D, shape: MarkerShape, x: number, y: number, r: number) {
  context.beginPath();
  if (shape === 'circle') context.arc(x, y, r, 0, 2 * Math.PI);
  else for (const [dx, dy] of corners[shape]) context.lineTo(x + dx * r, y + dy * r);
  context.closePath();
}
