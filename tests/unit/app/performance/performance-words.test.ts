import { expect, test } from 'vitest';
import { outOfText, scoreText, timeOfDayText, windowText } from '#app/features/performance/figures.tsx';
import { timeWindows } from '#contract/rules/health.ts';

test('every window has its words', () => {
  expect(timeWindows.map(windowText)).toEqual([
    'the last minute',
    'the last 5 minutes',
    'the last 15 minutes',
    'the last hour',
    'the last 6 hours',
    'the last 24 hours',
  ]);
});

test.each([
  [62.88, '63'],
  [79.6, '79'],
  [59.5, '59'],
  [80, '80'],
  [100, '100'],
  [0.4, '0'],
])('a score of %d reads %s: rounded, but never into a status that it has not reached', (score, words) => {
  expect(scoreText(score)).toBe(words);
  expect(outOfText(score)).toBe(`${words} of 100`);
});

test('an alert has the time of day of this device', () => {
  expect(timeOfDayText(new Date(2026, 10, 22, 4, 32, 5).getTime())).toBe('04:32:05');
});
