import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gramsOf, readWords, SearchableName } from '#server/features/search/name-grams.ts';

const gramsOfName = (name: string) => [...new SearchableName(name).grams()].sort();

test.each([
  ['a_bcd', [' a', ' a_', ' b', ' bc', '_bc', 'a_b', 'bcd']],
  ['Ab', [' a', ' ab']],
  ['東京', [' 京', ' 東', ' 東京']],
  ['🎬🎬🎬', ['🎬🎬🎬']],
  ['a b', [' a', ' a ', ' b']],
  ['', []],
])('the name %j is stored under %j', (name, grams) => {
  expect(gramsOfName(name)).toEqual([...grams].sort());
});

test.each([
  ['Harbour  AT dawn', ['harbour', 'at', 'dawn']],
  ['dawn dawn', ['dawn']],
  ['% - a', ['a']],
  ['%%%', ['%%%']],
  ['   ', []],
  ['a b c d e f g h i j', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
])('the search %j has the words %j', (search, words) => {
  expect(readWords(search).map(({ text }) => text)).toEqual(words);
});

test('a name that has a word is stored under everything that the word is looked up by', () => {
  const character = fc.constantFrom('a', 'B', '7', ' ', '_', '%', 'é', 'ß', 'ﬁ', '京', '🎬', '-');
  fc.assert(
    fc.property(
      fc.string({ unit: character, maxLength: 24 }),
      fc.string({ unit: character, maxLength: 6 }),
      (text, search) => {
        const name = new SearchableName(text);
        const grams = name.grams();
        for (const word of readWords(search)) {
          if (!name.has(word)) continue;
          expect(gramsOf(word).filter((gram) => !grams.has(gram))).toEqual([]);
        }
      },
    ),
  );
});

test('a word as long as a search may be is looked up by a few parts', () => {
  expect(gramsOf(readWords('abcdefghij'.repeat(20))[0] ?? { text: '', isShort: true }).length).toBe(12);
});
