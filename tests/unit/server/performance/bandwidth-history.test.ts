import { expect, test } from 'vitest';
import { timeWindows } from '#contract/rules/health.ts';
import { stepsOf, toHistory } from '#server/features/performance/bandwidth.ts';

/** A multiple of every step. */
const start = 1_800_000_000_000;
const second = 1_000;
const until = start + 600 * second;
const slot = (seconds: number, kbps: number, viewers = 1) => ({ startsAt: start + seconds * second, kbps, viewers });
const atSeconds = (history: ReturnType<typeof toHistory>) =>
  history.map(({ timestamp, mbps }) => [(Date.parse(timestamp) - start) / second, mbps]);

test.each([
  ['1m', 10, 6],
  ['5m', 10, 30],
  ['15m', 10, 90],
  ['1h', 60, 60],
  ['6h', 300, 72],
  ['24h', 900, 96],
] as const)(
  'a window of %s has points of %i s, %i of them and the one that it begins in',
  (window, seconds, points) => {
    for (const now of [start, start + 1, start + 899_999]) {
      const { stepMs, from } = stepsOf(window, now);
      expect(stepMs).toBe(seconds * second);
      expect([Math.floor((now - from) / stepMs), from % stepMs]).toEqual([points, 0]);
    }
    expect(timeWindows).toContain(window);
  },
);

test('steps in which nobody fetched have no point', () => {
  const slots = [slot(30, 2_000), slot(0, 1_000)];
  expect(atSeconds(toHistory(slots, { stepMs: 10 * second, from: start, until }))).toEqual([
    [0, 1],
    [30, 2],
  ]);
});

test('a point is the mean over those who fetched in its step', () => {
  const slots = [slot(0, 1_000), slot(10, 4_000, 2), slot(20, 3_000)];
  expect(atSeconds(toHistory(slots, { stepMs: 60 * second, from: start, until }))).toEqual([[0, 2]]);
});

test('slots of several processes add up, and what lies before the window or after it is left out', () => {
  // The last one was written by a clock that was ten years ahead.
  const slots = [slot(-10, 9_000), slot(0, 1_000), slot(0, 3_000), slot(315_360_000, 1)];
  expect(atSeconds(toHistory(slots, { stepMs: 10 * second, from: start, until }))).toEqual([[0, 2]]);
});

test('without anything measured there are no points', () => {
  expect(toHistory([], { stepMs: 10 * second, from: start, until })).toEqual([]);
});
