import { expect, test } from 'vitest';
import { timeTicks, valueTicks } from '#app/ui/chart-model.ts';

const words = (ticks: readonly { words: string }[]) => ticks.map((tick) => tick.words);

test.each([
  [59.3, ['0', '20', '40', '60']],
  [60, ['0', '20', '40', '60']],
  [100, ['0', '50', '100']],
  [8, ['0', '2', '4', '6', '8']],
  [1, ['0', '0.5', '1']],
  [0.3, ['0', '0.1', '0.2', '0.3']],
  [1_234, ['0', '500', '1,000', '1,500']],
])('up to %s the axis has %j', (highest, expected) => {
  expect(words(valueTicks(highest))).toEqual(expected);
});

test('without a value the axis still reaches somewhere', () => {
  expect(words(valueTicks(0))).toEqual(['0', '0.5', '1']);
});

test('the axis reaches the highest value, in four steps at most', () => {
  for (const highest of [0.001, 0.7, 1, 3, 9.99, 10, 10.01, 47, 333, 4_001, 98_765]) {
    const ticks = valueTicks(highest);
    expect(ticks[ticks.length - 1]?.at).toBeGreaterThanOrEqual(highest);
    expect(ticks.length).toBeLessThanOrEqual(5);
  }
});

const minute = 60_000;
const hour = 60 * minute;

test.each([
  [minute, ['60 s ago', '50', '40', '30', '20', '10', 'now']],
  [5 * minute, ['5 min ago', '4', '3', '2', '1', 'now']],
  [15 * minute, ['15 min ago', '12', '9', '6', '3', 'now']],
  [hour, ['60 min ago', '50', '40', '30', '20', '10', 'now']],
  [6 * hour, ['6 h ago', '5', '4', '3', '2', '1', 'now']],
  [24 * hour, ['24 h ago', '20', '16', '12', '8', '4', 'now']],
])('a window of %s ms reads %j', (span, expected) => {
  expect(words(timeTicks(1_000_000, 1_000_000 + span))).toEqual(expected);
});

test('labels of time stand where their time is', () => {
  expect(timeTicks(0, 5 * minute).map(({ at }) => at / minute)).toEqual([0, 1, 2, 3, 4, 5]);
});
