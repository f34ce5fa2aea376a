import { assert, double, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bandwidthScore, findAlarms, healthStatus, quadrantScore, systemScore } from '#contract/rules/health.ts';
import { rowsOf } from '../specification.ts';

const well = { averageDroppedFrameRate: 0, averageBufferLevel: 8, stallEvents: 0 };
const amount = double({ min: 0, max: 1e6, noNaN: true });

test.each([
  [{}, 100],
  [{ averageDroppedFrameRate: 5 }, 90],
  [{ averageBufferLevel: 2 }, 100],
  [{ averageBufferLevel: 1.5 }, 95],
  [{ averageBufferLevel: 0 }, 80],
  [{ stallEvents: 3 }, 85],
  [{ averageDroppedFrameRate: 6, averageBufferLevel: 1, stallEvents: 4 }, 58],
  [{ averageDroppedFrameRate: 60 }, 0],
])('a quadrant with %j scores %d', (trouble, score) => {
  expect(quadrantScore({ ...well, ...trouble })).toBeCloseTo(score);
});

test.each([
  [0, 0],
  [0.5, 5],
  [4.26, 42.6],
  [10, 100],
  [5_000, 100],
])('%d Mbps score %d', (mbps, score) => {
  expect(bandwidthScore(mbps)).toBeCloseTo(score);
});

test('every score lies between 0 and 100', () => {
  assert(
    property(amount, amount, amount, amount, (averageDroppedFrameRate, averageBufferLevel, stallEvents, mbps) => {
      const score = systemScore([{ averageDroppedFrameRate, averageBufferLevel, stallEvents }], mbps)!;
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(100);
    }),
  );
});

describe('the health of the system', () => {
  test('is 70 % quadrants and 30 % bandwidth', () => {
    expect(systemScore([well, well], 5)).toBeCloseTo(100 * 0.7 + 50 * 0.3);
  });

  test('averages the quadrants that have data', () => {
    expect(systemScore([well, null, { ...well, averageDroppedFrameRate: 20 }, null], 1_000)).toBeCloseTo(
      80 * 0.7 + 100 * 0.3,
    );
  });

  test('is that of the quadrants while nobody is watching', () => {
    expect(systemScore([well, { ...well, averageDroppedFrameRate: 20 }], null)).toBeCloseTo(80);
  });

  test('is unknown without any data of a quadrant', () => {
    expect(systemScore([null, null, null, null], 500)).toBeNull();
  });
});

test.each([
  [100, 'excellent'],
  [80, 'excellent'],
  [79.99, 'good'],
  [60, 'good'],
  [59.99, 'fair'],
  [40, 'fair'],
  [39.99, 'poor'],
  [0, 'poor'],
])('a score of %d is %s', (score, status) => {
  expect(healthStatus(score)).toBe(status);
});

describe('an alarm', () => {
  test('goes off beyond each threshold and not at it', () => {
    const atThresholds = { averageDroppedFrameRate: 5, averageBufferLevel: 2, stallEvents: 3 };
    const beyond = { averageDroppedFrameRate: 5.1, averageBufferLevel: 1.9, stallEvents: 3.1 };

    expect(findAlarms({ 'top-left': atThresholds }, 1)).toEqual([]);
    expect(findAlarms({ 'top-left': beyond }, 0.9).map(({ id }) => id)).toEqual([
      'bandwidth',
      'dropped-frames:top-left',
      'buffer:top-left',
      'stalls:top-left',
    ]);
  });

  test('reads as the table of §8 says', () => {
    const alarms = findAlarms(
      { 'top-left': { averageDroppedFrameRate: 6.25, averageBufferLevel: 1.4, stallEvents: 4 } },
      0.98,
    );
    const values = ['0.9', '6.2', '1.4', '4'];
    const specified = rowsOf(8, 'Id', 'Severity', 'Type', 'Title', 'Message').map((row, place) => ({
      id: row.Id!.replace('{quadrant}', 'top-left'),
      severity: row.Severity,
      type: row.Type,
      title: row.Title,
      message: row.Message!.replace('{value}', values[place]!),
    }));

    expect(alarms.map(({ quadrant: _, ...alarm }) => alarm)).toEqual(specified);
  });

  test('about bandwidth stays silent while nobody is watching', () => {
    expect(findAlarms({ 'top-left': null }, null)).toEqual([]);
  });

  test('names the quadrants in reading order', () => {
    const bad = { ...well, stallEvents: 9 };

    expect(findAlarms({ 'bottom-right': bad, 'top-left': bad }, null).map(({ quadrant }) => quadrant)).toEqual([
      'top-left',
      'bottom-right',
    ]);
  });
});
