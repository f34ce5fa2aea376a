import { expect, test } from 'vitest';
import { checkUserCode, normalizeUserCode, userCodeAlphabet, userCodeText } from '#contract/rules/credentials.ts';

const wrong = 'Enter the 8 letters that the TV shows';

test.each([
  ['WDJBMJHT', null],
  ['wdjb-mjht', null],
  [' WDJB MJHT ', null],
  ['WDJBMJH', wrong],
  ['WDJBMJHTT', wrong],
  ['WDJBMJHA', wrong],
  ['WDJB0JHT', wrong],
  ['', wrong],
])('the code %j is answered with %j', (typed, sentence) => {
  expect(checkUserCode(typed)).toBe(sentence);
});

test('a code is read the way it was shown', () => {
  expect(normalizeUserCode(userCodeText('WDJBMJHT').toLowerCase())).toBe('WDJBMJHT');
  expect(userCodeText('WDJBMJHT')).toBe('WDJB-MJHT');
});

test('the alphabet of codes has no vowels, digits or twice the same letter', () => {
  expect(userCodeAlphabet).toMatch(/^[B-DF-HJ-NP-TV-Z]+$/);
  expect(new Set(userCodeAlphabet).size).toBe(userCodeAlphabet.length);
});
