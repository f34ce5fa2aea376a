import { expect, test } from 'vitest';
import { seriesWindowOf } from '#app/features/performance/figures.tsx';
import type { Readings } from '#app/features/performance/performance-store.ts';

const minute = 60_000;
const now = Date.parse('2026-11-22T14:30:00Z');

function readingsOf(instants: number[], readAt: number): Readings {
  const history = instants.map((at) => ({ timestamp: new Date(at).toISOString(), mbps: 1 }));
  const bandwidth = { current_bandwidth_mbps: 1, current_bandwidth_bps: 1, history };
  return { window: '5m', quadrants: [], bandwidth, alarms: [], readAt };
}

test('the window ends with the refresh', () => {
  expect(seriesWindowOf(readingsOf([], now))).toEqual({ from: now - 5 * minute, to: now, maxGapMs: 20_000 });
  expect(seriesWindowOf(readingsOf([now - minute], now)).to).toBe(now);
});

test('a clock that is behind that of the server hides no point', () => {
  expect(seriesWindowOf(readingsOf([now - minute, now], now - 60 * minute)).to).toBe(now);
});

test('a clock that is ahead of that of the server hides no point but the oldest step', () => {
  expect(seriesWindowOf(readingsOf([now - 4 * minute, now], now + 60 * minute)).to).toBe(now + minute + 20_000);
});

test('two steps of the server without data are a gap, in every window', () => {
  const stepSeconds = { '1m': 10, '5m': 10, '15m': 10, '1h': 60, '6h': 300, '24h': 900 } as const;
  for (const [window, seconds] of Object.entries(stepSeconds)) {
    const { maxGapMs } = seriesWindowOf({ ...readingsOf([], now), window: window as keyof typeof stepSeconds });
    expect(maxGapMs, window).toBeGreaterThanOrEqual(1.5 * seconds * 1_000);
    expect(maxGapMs, window).toBeLessThan(3 * seconds * 1_000);
  }
});
