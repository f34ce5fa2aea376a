import fc from 'fast-check';
import { RoaringBitmap32 } from 'roaring-wasm';
import { describe, expect, test } from 'vitest';
import { decodeSet, encodeNumbers, encodeSet } from '#server/id-sets/bits.ts';
import { computeDense, computePool, computeSparse } from '#server/id-sets/compute-pool.ts';

/**
 * Runs of every step and length over some blocks of 65,536 numbers, so that containers of values and of bits come
 * about.
 */
const stretches = fc.array(
  fc.record({
    from: fc.integer({ min: 1, max: 200_000 }),
    length: fc.integer({ min: 1, max: 9_000 }),
    step: fc.integer({ min: 1, max: 5 }),
  }),
  { maxLength: 3 },
);
type Stretch = { from: number; length: number; step: number };

const listNumbers = (set: readonly Stretch[]) =>
  set.flatMap(({ from, length, step }) => Array.from({ length }, (_, index) => from + index * step));
const lists = fc.record({
  any: fc.array(stretches, { minLength: 1, maxLength: 3 }),
  all: fc.array(stretches, { maxLength: 2 }),
  none: fc.array(stretches, { maxLength: 3 }),
});

describe.each([
  ['block by block', computeDense],
  ["with the library's own operations", computeSparse],
  ['as it suits the pool', computePool],
])('a pool computed %s', (_how, compute) => {
  test('holds what plain sets say', () => {
    fc.assert(
      fc.property(lists, (drawn) => {
        const [any, all, none] = [drawn.any, drawn.all, drawn.none].map((sets) =>
          sets.map((set) => new Set(listNumbers(set))),
        );
        const members = [...new Set(any!.flatMap((set) => [...set]))];
        const expected = members.filter(
          (number) => all!.every((set) => set.has(number)) && !none!.some((set) => set.has(number)),
        );
        const computed = compute({ any: any!.map(toBitmap), all: all!.map(toBitmap), none: none!.map(toBitmap) });
        expect(computed.toArray()).toEqual(expected.sort((a, b) => a - b));
        expect(decodeSet(encodeSet(computed)).size).toBe(computed.size);
      }),
      { numRuns: 60 },
    );
  });

  test.each([4_095, 4_096, 4_097])(
    'holds %i numbers of a block, of which values and bits take the same room',
    (length) => {
      const numbers = listNumbers([{ from: 65_536, length, step: 3 }]);
      const computed = compute({ any: [toBitmap(numbers)], all: [], none: [] });
      expect(computed.toArray()).toEqual(numbers);
    },
  );

  test('of nothing is empty', () => {
    expect(compute({ any: [new RoaringBitmap32()], all: [], none: [] }).size).toBe(0);
  });
});

function toBitmap(numbers: Iterable<number>): RoaringBitmap32 {
  return decodeSet(encodeNumbers([...numbers]));
}
