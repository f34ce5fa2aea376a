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
