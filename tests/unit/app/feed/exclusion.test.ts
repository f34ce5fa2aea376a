import { expect, test } from 'vitest';
import { excludedIds, isTakenNeedlessly } from '#app/features/feed/exclusion.ts';

const lastTen = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10'];

test('a large library avoids what the others show, what leaves them, and the last ten', () => {
  const excluded = excludedIds({ claimed: ['x', 'y', 'z'], leaving: ['l'], recent: lastTen, matching: 500 });
  expect(excluded).toEqual(['x', 'y', 'z', 'l', ...lastTen]);
});

test('before its first answer a quadrant avoids all it knows of', () => {
  expect(excludedIds({ claimed: ['x'], leaving: [], recent: ['r1'], matching: null })).toEqual(['x', 'r1']);
});

test('no id is named twice', () => {
  expect(excludedIds({ claimed: ['x', 'x'], leaving: ['x'], recent: ['x', 'r1'], matching: 500 })).toEqual(['x', 'r1']);
});

test.each([
  [14, 10],
  [13, 8],
  [12, 7],
  [8, 3],
  [6, 1],
  [5, 1],
  [4, 0],
  [3, 0],
  [1, 0],
])('of %i videos, beside three that others show, %i recent ones are avoided', (matching, count) => {
  const excluded = excludedIds({ claimed: ['x', 'y', 'z'], leaving: [], recent: lastTen, matching });
  expect(excluded.slice(3)).toEqual(lastTen.slice(0, count));
});

test('a video of another quadrant is dropped while there is one for each', () => {
  expect(isTakenNeedlessly('x', 4, ['x', 'y', 'z'])).toBe(true);
  expect(isTakenNeedlessly('w', 4, ['x', 'y', 'z'])).toBe(false);
});

test('with fewer videos than quadrants it may repeat', () => {
  expect(isTakenNeedlessly('x', 3, ['x', 'y', 'z'])).toBe(false);
  expect(isTakenNeedlessly('x', 3, ['x', 'y', 'x'])).toBe(true);
  expect(isTakenNeedlessly('x', 1, ['x'])).toBe(false);
});
