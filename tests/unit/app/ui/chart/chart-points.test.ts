import { expect, test } from 'vitest';
import type { ChartPoint } from '#app/ui/chart-model.ts';
import { lastValue, pointsOf, runsOf, thinPoints } from '#app/ui/chart-model.ts';

const at = (...times: number[]): ChartPoint[] => times.map((time) => ({ at: time, value: time }));

test('points outside of the window are left out, but for the one from which the line enters', () => {
  const points = at(5, 10, 15, 20, 25);
  expect(pointsOf({ points, from: 10, to: 20 })).toEqual(at(10, 15, 20));
  expect(pointsOf({ points, from: 11, to: 24 })).toEqual(at(10, 15, 20));
  expect(pointsOf({ points, from: 26, to: 30 })).toEqual([]);
  expect(pointsOf({ points: [], from: 0, to: 30 })).toEqual([]);
});

test('points that are too far apart have a point without a value between them', () => {
  const points = pointsOf({ points: at(10, 15, 21), from: 0, to: 30, maxGapMs: 5 });
  expect(points).toEqual([...at(10, 15), { at: 16, value: null }, ...at(21)]);
});

test('a line runs from gap to gap, and a value between two gaps stands alone', () => {
  const gap = (time: number): ChartPoint => ({ at: time, value: null });
  expect(runsOf([...at(1), gap(2), ...at(3, 4), gap(5), gap(6), ...at(7)])).toEqual([at(1), at(3, 4), at(7)]);
  expect(runsOf([])).toEqual([]);
});

test('the last value is the newest point that has one', () => {
  expect(lastValue([...at(1, 2), { at: 3, value: null }])).toEqual({ at: 2, value: 2 });
  expect(lastValue([{ at: 3, value: null }])).toBeNull();
});

test.each([1, 29, 30, 31, 60, 1_440])('%i points become 30 at most, the newest among them', (count) => {
  const thin = thinPoints(at(...Array.from({ length: count }, (_, index) => index)), 30);
  expect(thin.length).toBeLessThanOrEqual(30);
  expect(thin.length).toBeGreaterThan(Math.min(count, 30) / 2);
  expect(thin[thin.length - 1]?.at).toBe(count - 1);
  const steps = new Set(thin.slice(1).map((point, index) => point.at - (thin[index]?.at ?? 0)));
  expect(steps.size).toBeLessThanOrEqual(1);
});
