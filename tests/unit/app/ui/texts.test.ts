import { describe, expect, test } from 'vitest';
import { agoText, countText, megabytesText, sizeText, spanText } from '#app/ui/texts.ts';

test.each([
  [0, 'video', '0 videos'],
  [1, 'video', '1 video'],
  [10_000, 'job', '10,000 jobs'],
])('%i of a %s read "%s"', (count, noun, words) => {
  expect(countText(count, noun)).toBe(words);
});

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [92_400_000, '92 MB'],
  [4_700_000_000, '4.7 GB'],
  [9_960_000_000, '10 GB'],
  [2e12, '2.0 TB'],
  [3e18, '3000 PB'],
])('%i bytes read "%s"', (bytes, words) => {
  expect(sizeText(bytes)).toBe(words);
});

describe('a span', () => {
  test.each([
    [0.2, 'less than a second'],
    [1, '1 second'],
    [125, '2 minutes 5 seconds'],
    [120, '2 minutes'],
    [3_661, '1 hour 1 minute'],
    [3_601, '1 hour'],
    [90_061, '1 day 1 hour'],
    [8_640_000, '100 days'],
  ])('of %d s reads "%s"', (seconds, words) => {
    expect(spanText(seconds)).toBe(words);
  });
});

describe('a moment', () => {
  const at = '2026-11-22T12:00:00.000Z';

  test.each([
    [-30, 'just now'],
    [59, 'just now'],
    [60, '1 minute ago'],
    [7_300, '2 hours ago'],
    [200_000, '2 days ago'],
  ])('%i s ago reads "%s"', (seconds, words) => {
    expect(agoText(at, Date.parse(at) + seconds * 1000)).toBe(words);
  });
});

test('sizes side by side are all in megabytes', () => {
  expect([0, 92_040_000, 4_700_000_000].map(megabytesText)).toEqual(['0.0 MB', '92.0 MB', '4700.0 MB']);
});
