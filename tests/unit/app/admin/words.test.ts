import { expect, test } from 'vitest';
import { phoneAddress } from '#app/features/admin/about-section.tsx';
import { countsText, kindName } from '#app/features/admin/job-words.ts';

const counts = { kind: 'poster', queued: 0, running: 0, failed: 0, done: 0, cancelled: 0 };

test.each([
  [{ running: 2, queued: 10_000, failed: 3 }, '2 running, 10,000 waiting, 3 failed'],
  [{ failed: 1, done: 9 }, '1 failed'],
  [{ done: 1_204 }, 'Nothing to do, 1,204 done'],
  [{}, 'Nothing to do'],
])('%o', (facts, words) => {
  expect(countsText({ ...counts, ...facts })).toBe(words);
});

test('a kind of work has a plain name; one that has none yet is shown by its key', () => {
  const kinds = ['poster', 'scan', 'poster-clean-up', 'tag-undo', 'folder-channels', 'encode', 'moon'];
  expect(kinds.map(kindName)).toEqual([
    'Posters',
    'Library scan',
    'Clean-up of posters',
    'Undoing of changes to channels',
    'Channels from folders',
    'Encodings',
    'moon',
  ]);
});

test.each([
  [['http://localhost:4400', 'http://127.0.0.1:4400', 'http://192.168.1.5:4400'], 'http://192.168.1.5:4400'],
  [['https://[::1]:4400', 'https://tv.example.org'], 'https://tv.example.org'],
  [['http://localhost:4400'], null],
  [[], null],
])('a phone can open one of %o', (addresses, address) => {
  expect(phoneAddress(addresses)).toBe(address);
});
