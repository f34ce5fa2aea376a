import { expect, test } from 'vitest';
import { canAccept, checkEulaVersion, isEulaAccepted, isReadToEnd } from '#contract/rules/upload-file.ts';

test.each([
  [0, false],
  [589, false],
  [590, true],
  [600, true],
  [603.5, true],
])('a text scrolled to %d of 600 px is read to its end: %s', (scrollTop, isRead) => {
  expect(isReadToEnd({ scrollTop, clientHeight: 400, scrollHeight: 1_000 })).toBe(isRead);
});

test('a text that needs no scrolling is read to its end', () => {
  expect(isReadToEnd({ scrollTop: 0, clientHeight: 400, scrollHeight: 400 })).toBe(true);
});

test.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
  [false, false, false],
])('read %s and ticked %s, the agreement can be accepted: %s', (read, isTicked, accepts) => {
  expect(canAccept({ isReadToEnd: read, isTicked })).toBe(accepts);
});

test.each(['', '1', '1.0 ', '2.0'])('the version %j is not known', (version) => {
  expect(checkEulaVersion(version, '1.0')).toBe('This version of the EULA is not known');
});

test('the present version is known', () => {
  expect(checkEulaVersion('1.0', '1.0')).toBeNull();
});

test.each([
  [null, '1.0', false],
  ['1.0', '1.0', true],
  ['1.0', '1.1', false],
  ['1.9', '1.10', false],
  ['1.10', '1.9', true],
  ['2', '1.9.9', true],
  ['2', '2.0', true],
  ['2.0', '2.0.1', false],
])('who has accepted %s has accepted version %s: %s', (accepted, present, isAccepted) => {
  expect(isEulaAccepted(accepted, present)).toBe(isAccepted);
});
