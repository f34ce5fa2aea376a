import { expect, test } from 'vitest';
import { changesNothing, lineText, planTexts } from '#app/features/admin/channels/import-card.tsx';
import { readChosenFile } from '#app/features/admin/channels/import-store.ts';
import { limits } from '#contract/limits.ts';

const tooLarge = 'This file is too large. An import takes 8,000,000 characters at most.';

test.each([
  ['tags.csv', 'csv'],
  ['Tags.JSON', 'json'],
])('%s is read as %s', async (name, format) => {
  const file = new File(['Älps,1'], name);
  expect(await readChosenFile(file)).toEqual({ file: { filename: name, format, text: 'Älps,1' } });
});

test.each([
  ['tags.xlsx', ['x'], 'Choose a file that ends with .csv or .json.'],
  ['tags.csv', ['\n \n'], 'This file is empty.'],
  ['tags.csv', ['x'.repeat(limits.importCharacters + 1)], tooLarge],
  [
    'tags.csv',
    [new Uint8Array([0xc4, 0x6c, 0x70, 0x73])],
    'This file is not UTF-8 text. Save it as UTF-8, and choose it again.',
  ],
  ['tags.csv', ['t\0a\0g\0'], 'This file is not UTF-8 text. Save it as UTF-8, and choose it again.'],
])('%s is refused: %#', async (name, parts, refusal) => {
  expect(await readChosenFile(new File(parts as BlobPart[], name))).toEqual({ refusal });
});

test('a file that no call can hold is refused before it is read', async () => {
  const file = Object.assign(new File([], 'tags.csv'), {
    stream: () => {
      throw new Error('It was read.');
    },
  });
  Object.defineProperty(file, 'size', { value: limits.importKiB * 1024 + 1 });
  expect(await readChosenFile(file)).toEqual({ refusal: tooLarge });
});

const counts = { tags_created: 0, links_added: 0, links_present: 0, details_changed: 0, failed_count: 0 };

test.each([
  [{}, ['Nothing would change']],
  [{ details_changed: 1 }, ['1 video will get another title or description']],
  [{ links_present: 2 }, ['Nothing would change', '2 assignments already there']],
  [{ tags_created: 1, failed_count: 1 }, ['1 channel will be created', '1 line cannot be imported']],
  [{ links_added: 1_200 }, ['1,200 assignments will be added']],
])('an import of %o says so', (facts, words) => {
  expect(planTexts({ ...counts, ...facts })).toEqual(words);
  expect(changesNothing({ ...counts, ...facts })).toBe(words[0] === 'Nothing would change');
});

test('lines are those of CSV, and channels those of JSON', () => {
  expect([lineText('csv', 1_204), lineText('json', 3)]).toEqual(['Line 1,204', 'Entry 3']);
});
