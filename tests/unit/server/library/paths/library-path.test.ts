import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameFromText, textFromName } from '#server/features/library/library-files.ts';
import { toContractPath, toFile, toLibraryPlace } from '#server/features/library/library-paths.ts';
import { nameRoot } from '#server/features/library/library-roots.ts';
import type { ServedRoot } from '#server/features/library/root-repository.ts';

const films: ServedRoot = { number: 1, name: 'films', folder: '/media/films', kind: 'folder' };
const shows: ServedRoot = { number: 2, name: 'shows', folder: '/media/shows', kind: 'folder' };

describe('a file name', () => {
  test('of any bytes comes back from its text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(nameFromText(textFromName(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test('of any text stays that text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(textFromName(Buffer.from(text))).toBe(text);
      }),
    );
  });

  test.each([
    ['a lone byte', [0x61, 0xff, 0x62]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['the replacement character itself', [0xef, 0xbf, 0xbd]],
    ['a character that escapes are made of', [0xf4, 0x8f, 0xbf, 0xbf]],
  ])('with %s comes back, and its text is well formed', (_, bytes) => {
    const text = textFromName(Buffer.from(bytes));
    expect(text.isWellFormed()).toBe(true);
    expect([...nameFromText(text)]).toEqual(bytes);
  });

  test('has a text that no other name has', () => {
    const name = fc.uint8Array({ minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(textFromName(Buffer.from(one)) === textFromName(Buffer.from(other))).toBe(
          Buffer.from(one).equals(Buffer.from(other)),
        );
      }),
    );
  });
});

describe('a path', () => {
  const path = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }).filter((text) => !text.includes('\0'));

  test('leads back to its place, with one root and with several', () => {
    for (const roots of [[films], [films, shows]]) {
      fc.assert(
        fc.property(path, fc.constantFrom(...roots), (stored, root) => {
          const place = { root, path: stored };
          expect(toLibraryPlace(toContractPath(place, roots), roots)).toEqual(place);
        }),
      );
    }
  });

  test.each(['films', 'a.mp4', 'other/a.mp4', '/films/a.mp4', '../films/a.mp4', ''])(
    '%j is in none of several roots',
    (text) => {
      expect(toLibraryPlace(text, [films, shows])).toBeNull();
    },
  );

  test('is looked up as it stands: nothing is taken apart or put right', () => {
    for (const text of ['../a', 'a/../b', './a', 'a//b', '/etc/passwd', 'a\\b'])
      expect(toLibraryPlace(text, [films])?.path).toBe(text);
  });

  test.each(['a\0b', 'a'.repeat(4_097), 'é'.repeat(2_049)])('that cannot be one is refused', (text) => {
    expect(() => toLibraryPlace(text, [films])).toThrow();
  });

  test('has nowhere to lead without roots', () => {
    expect(toLibraryPlace('a.mp4', [])).toBeNull();
  });

  test('names its file byte by byte', () => {
    expect(toFile({ root: films, path: textFromName(Buffer.from([0x61, 0xff])) })).toEqual(
      Buffer.concat([Buffer.from('/media/films/a'), Buffer.of(0xff)]),
    );
  });
});

test('roots of the same name get different ones', () => {
  expect(nameRoot('/a/films', new Set())).toBe('films');
  expect(nameRoot('/b/films/', new Set(['films', 'films-2']))).toBe('films-3');
  expect(nameRoot('/', new Set())).toBe('library');
});
