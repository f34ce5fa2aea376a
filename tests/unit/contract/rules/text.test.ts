import { describe, expect, test } from 'vitest';
import { checkDisplayName, checkEmail } from '#contract/rules/credentials.ts';
import { checkTagName } from '#contract/rules/tag.ts';
import { cleanName, isSameAddress, rebaseList } from '#contract/rules/text.ts';

const hidden = {
  'a control character': '\u0007',
  'a line break': '\n',
  NUL: '\u0000',
  'a soft hyphen': '\u00AD',
  'a zero-width space': '\u200B',
  'a joiner between letters': '\u200D',
  'a non-joiner between letters': '\u200C',
  'a mark of direction': '\u200E',
  'an override of direction': '\u202E',
  'an isolate': '\u2066',
  'a word joiner': '\u2060',
  'a byte order mark': '\uFEFF',
  'a line separator': '\u2028',
  'a Hangul filler': '\u3164',
  'a tag character': '\u{E0061}',
  'a lone surrogate': '\uD83D',
};

describe.each(Object.entries(hidden))('%s', (_, character) => {
  test('is refused in names and addresses', () => {
    expect(checkDisplayName(`ma${character}ra`)).toBe('Display name must not contain hidden characters');
    expect(checkTagName(`ma${character}ra`)).toBe('Tag name must not contain hidden characters');
    expect(checkEmail(`ma${character}ra@example.com`)).toBe('Please enter a valid email address');
    expect(checkEmail(`mara@exam${character}ple.com`)).toBe('Please enter a valid email address');
  });

  test('is taken out of a name that a provider sends', () => {
    expect(cleanName(` ma${character}ra `)).toBe('mara');
  });
});

test.each(['Ærø', 'José', 'Mara 🎬', '👩‍👩‍👧 at home', '🏃🏽‍♂️', '❤️‍🔥', 'می‌خواهم', '日本語', 'עברית', 'a-b_c.d'])(
  '%j is a name as it stands',
  (name) => {
    expect([checkDisplayName(name), checkTagName(name), cleanName(name)]).toEqual([null, null, name]);
  },
);

test.each([
  ['is the wanted one where nothing has changed', 'abc', 'bd', 'abc', 'bd'],
  ['replaces another one that is not known', 'abc', 'xd', undefined, 'xd'],
  ['keeps what others have added', 'abcx', 'abd', 'abc', 'abdx'],
  ['leaves out what others have removed', 'a', 'abd', 'abc', 'ad'],
  ['has once what others have added, too', 'abd', 'abd', 'ab', 'abd'],
])('a changed list %s', (_, current, wanted, known, expected) => {
  expect(rebaseList([...current], [...wanted], known === undefined ? undefined : [...known])).toEqual([...expected]);
});

test.each([
  ['Fiona@Example.com', 'fiona@example.COM', true],
  ['ﬁona@example.com', 'fiona@example.com', false],
  ['fiona@example.com', 'ｆiona@example.com', false],
  ['İlke@example.com', 'i̇lke@example.com', false],
  ['\u212Aim@example.com', 'Kim@example.com', false],
  ['jose\u0301@example.com', 'jos\u00e9@example.com', false],
])('%j and %j are one mailbox: %j', (one, other, isSame) => {
  expect(isSameAddress(one, other)).toBe(isSame);
});
