import { expect, test } from 'vitest';
import { SeenSamples } from '#server/features/performance/samples.ts';

const start = Date.UTC(2027, 0, 15);
const seconds = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index * 1_000);

test('each sample counts once, in any order, also where a busy page was late with its timer', () => {
  const seen = new SeenSamples(0);
  const late = [start + 60_000, start, start + 1_700, start + 2_000, start + 990];
  expect(late.map((at) => seen.add(at, 0))).toEqual([true, true, true, true, true]);
  expect(late.map((at) => seen.add(at, 0))).toEqual([false, false, false, false, false]);
});

test('what was stored without a network comes at once, and from then on one a second counts', () => {
  const seen = new SeenSamples(0);
  expect(seconds(start, 300).filter((at) => seen.add(at, 0))).toHaveLength(300);
  // Ten a second from somebody who makes them up.
  const madeUp = Array.from({ length: 3_000 }, (_, index) => start + 300_000 + index * 100);
  expect(madeUp.filter((at, index) => seen.add(at, index * 100)).length).toBeLessThanOrEqual(330);
});

test('a clock that is set goes on being counted by, in both directions', () => {
  const seen = new SeenSamples(0);
  expect(seen.add(start, 0)).toBe(true);
  const yearLater = start + 365 * 86_400_000;
  expect([seen.add(yearLater, 0), seen.add(yearLater, 0)]).toEqual([true, false]);
  expect([seen.add(start, 0), seen.add(start, 0), seen.add(start - 1_000, 0)]).toEqual([true, false, true]);
  expect([seen.add(-5_000, 0), seen.add(-5_000, 0)]).toEqual([true, false]);
});
