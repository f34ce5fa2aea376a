import { expect, test } from 'vitest';
import { heardAlone, isStatisticsKey, keyFor, shortcutOf } from '#app/features/feed/feed-keys.ts';
import { quadrants } from '#contract/quadrants.ts';

const press = (key: string, rest: object = {}) => ({
  key,
  code: '',
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...rest,
});

test.each([
  ['top-left', 'Q', '1', 'A', 'Z'],
  ['top-right', 'W', '2', 'S', 'X'],
  ['bottom-left', 'E', '3', 'D', 'C'],
  ['bottom-right', 'R', '4', 'F', 'V'],
] as const)('%s seeks back by %s and forward by %s, is muted by %s and pinned by %s', (quadrant, ...keys) => {
  const acts = ['seek-back', 'seek-forward', 'mute', 'pin'] as const;
  expect(keys.map((key) => shortcutOf(press(key.toLowerCase())))).toEqual(acts.map((act) => ({ quadrant, act })));
  expect(acts.map((act) => keyFor(quadrant, act))).toEqual(keys);
});

test('Caps Lock changes nothing', () => {
  expect(shortcutOf(press('Q'))).toEqual({ quadrant: 'top-left', act: 'seek-back' });
});

test.each(['altKey', 'ctrlKey', 'metaKey', 'shiftKey'])('with a modifier (%s) a key is no shortcut', (modifier) => {
  expect(shortcutOf(press('a', { [modifier]: true }))).toBeNull();
  expect(isStatisticsKey(press('i', { [modifier]: true }))).toBe(false);
});

test('with Shift a mute key means that its quadrant alone is heard', () => {
  const shifted = (key: string, rest: object = {}) => heardAlone(press(key, { shiftKey: true, ...rest }));
  expect(['A', 's', 'D', 'F'].map((key) => shifted(key))).toEqual(quadrants);
  expect(['Q', '1', 'Z', 'M', 'Enter'].map((key) => shifted(key))).toEqual([null, null, null, null, null]);
  expect([heardAlone(press('a')), shifted('A', { ctrlKey: true })]).toEqual([null, null]);
});

test('where a digit needs Shift, the key in its place is meant', () => {
  expect(shortcutOf(press('&', { code: 'Digit1' }))).toEqual({ quadrant: 'top-left', act: 'seek-forward' });
});

test('other keys do nothing', () => {
  expect(['5', 'g', 'Enter', 'ArrowRight', ''].map((key) => shortcutOf(press(key)))).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});

test('I shows the statistics', () => {
  expect(isStatisticsKey(press('i'))).toBe(true);
  expect(isStatisticsKey(press('o'))).toBe(false);
});
