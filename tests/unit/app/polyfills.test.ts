import { expect, test } from 'vitest';
import { at, hasOwn } from '#app/polyfills.ts';

test('`at` counts from both ends of a sequence', () => {
  expect([at.call([1, 2, 3], 0), at.call([1, 2, 3], -1), at.call('abc' as never, -2), at.call(Uint8Array.of(7, 8), 1)]).toEqual([1, 3, 'b', 8]);
  expect([at.call([1], 5), at.call([1], -5), at.call([1, 2], Number.NaN), at.call([1, 2], 1.7)]).toEqual([undefined, undefined, 1, 2]);
});

test('`hasOwn` tells own from inherited', () => {
  expect([hasOwn({ own: undefined }, 'own'), hasOwn({}, 'toString'), hasOwn(Object.create(null), 'x')]).toEqual([true, false, false]);
});
