import { expect, test } from 'vitest';
import { comparePaths, sortPaths } from '#server/features/library/library-files.ts';

const inOrder = [
  'a',
  'a b.mp4',
  'a.mp4',
  'a/',
  'a/b.mp4',
  'a0',
  'b',
  'caf\u00e9.mp4',
  'cafe\u0301.mp4',
  '\ufb01.mp4',
  '\uffee.mp4',
  '\u{1f3ac}.mp4',
  '\u{10ffff}.mp4',
];
const byBytes = [...inOrder].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

test('paths are in the order of their bytes in UTF-8, as both databases keep them', () => {
  expect(sortPaths([...inOrder].reverse())).toEqual(byBytes);
});

test('two paths compare as they are sorted', () => {
  for (const [at, one] of byBytes.entries())
    for (const [otherAt, other] of byBytes.entries())
      expect(Math.sign(comparePaths(one, other))).toBe(Math.sign(at - otherAt));
});
