import { assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { checkSkipDuration, checkSwitchInterval, seekStep, seekTarget } from '#contract/rules/settings.ts';
import { clockText, durationText } from '#contract/rules/text.ts';

test.each([
  [30, '30 seconds'],
  [60, '1 minute'],
  [90, '1m 30s'],
  [120, '2 minutes'],
  [1_230, '20m 30s'],
  [5_400, '90 minutes'],
])('a step of %d s reads "%s"', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test('a step can be read back from its words', () => {
  assert(property(integer({ min: 2, max: 5_400 }), (seconds) => secondsIn(durationText(seconds)) === seconds));
});

test.each([
  [0, '0:00'],
  [7.9, '0:07'],
  [59, '0:59'],
  [60, '1:00'],
  [171, '2:51'],
  [760, '12:40'],
  [3_599.99, '59:59'],
  [3_600, '1:00:00'],
  [3_729, '1:02:09'],
  [36_000, '10:00:00'],
  [Number.NaN, '--:--'],
  [Number.POSITIVE_INFINITY, '--:--'],
  [-1, '--:--'],
])('a place %d s into a video reads "%s"', (seconds, text) => {
  expect(clockText(seconds)).toBe(text);
});

test('a place can be read back from its digits', () => {
  const back = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

  assert(property(integer({ min: 0, max: 400_000 }), (seconds) => back(clockText(seconds)) === seconds));
});

const offSlider = 'Skip duration must be 30 to 5400 seconds in steps of 30';

test.each([
  [30, null],
  [60, null],
  [5_400, null],
  [0, offSlider],
  [29, offSlider],
  [45, offSlider],
  [5_430, offSlider],
  [-30, offSlider],
  [60.5, offSlider],
  [Number.NaN, offSlider],
])('a skip duration of %d is answered with %j', (seconds, sentence) => {
  expect(checkSkipDuration(seconds)).toBe(sentence);
});

const offInterval = 'Switch interval must be 5 to 86400 seconds';

test.each([
  [4, offInterval],
  [5, null],
  [120, null],
  [86_400, null],
  [86_401, offInterval],
  [5.5, offInterval],
])('a switch interval of %d is answered with %j', (seconds, sentence) => {
  expect(checkSwitchInterval(seconds)).toBe(sentence);
});

test('the step is 60 s where the tier allows no other', () => {
  expect(seekStep({ customizable_skip_limits: false }, 300)).toBe(60);
  expect(seekStep({ customizable_skip_limits: true }, 300)).toBe(300);
});

test.each([
  [10, 60, 245, 70],
  [10, -60, 245, 0],
  [240, 60, 245, 245],
  [10, 60, Number.NaN, null],
  [10, 60, Number.POSITIVE_INFINITY, null],
  [0, 60, 0, null],
])('a seek from %d by %d in %d s lands at %j', (current, by, duration, target) => {
  expect(seekTarget(current, by, duration)).toBe(target);
});

function secondsIn(text: string): number {
  const [first, second] = text.match(/\d+/g)!.map(Number);
  if (second !== undefined) return first! * 60 + second;
  return text.includes('minute') ? first! * 60 : first!;
}
