import { expect, test } from 'vitest';
import { timeWindows } from '#contract/rules/time-window.ts';
import { stepsOf, toHistory, toMbps } from '#server/features/performance/bandwidth/bandwidth-history.ts';

/** A multiple of every step. */
const start = 1_800_000_000_000;
const second = 1_000;
const until = start + 600 * second;
const slot = (seconds: number, bytes: number, viewers = 1) => ({
  startsAt: start + seconds * second,
  bytes,
  viewerMs: viewers * 10 * second,
});
const atSeconds = (history: ReturnType<typeof toHistory>) =>
  history.map(({ timestamp, mbps }) => [(Date.parse(timestamp) - start) / second, mbps]);

test('a megabyte in ten seconds is 0.8 megabits per second', () => {
  expect(toMbps(1_000_000, 10 * second)).toBe(0.8);
  expect(toMbps(0, 0)).toBe(0);
});

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

test('the points between the first and the last step dip to 0 where nothing was sent', () => {
  const slots = [slot(0, 1_250_000), slot(30, 2_500_000)];
  expect(atSeconds(toHistory(slots, { stepMs: 10 * second, from: start, until }))).toEqual([
    [0, 1],
    [10, 0],
    [20, 0],
    [30, 2],
  ]);
});

test('a point is the mean over those who were sent something in its step', () => {
  const slots = [slot(0, 1_250_000), slot(10, 5_000_000, 2), slot(20, 3_750_000)];
  expect(atSeconds(toHistory(slots, { stepMs: 60 * second, from: start, until }))).toEqual([[0, 2]]);
});

test('slots of several processes add up, and what lies before the window or after it is left out', () => {
  // The last one was written by a clock that was ten years ahead.
  const slots = [slot(-10, 9_000_000), slot(0, 1_250_000), slot(0, 3_750_000), slot(315_360_000, 1)];
  expect(atSeconds(toHistory(slots, { stepMs: 10 * second, from: start, until }))).toEqual([[0, 2]]);
});

test('without anything sent there are no points', () => {
  expect(toHistory([], { stepMs: 10 * second, from: start, until })).toEqual([]);
});
