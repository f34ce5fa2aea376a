import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NumberSet, Pool } from '#server/id-sets/tag-selection.ts';
import { draw, sample } from '#server/id-sets/tag-selection.ts';
import { chiSquareDeviation, listSet, seededRandom } from './list-set.ts';

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });
const pools = fc.record({
  any: fc.array(numbers, { minLength: 1, maxLength: 4 }),
  all: fc.array(numbers, { maxLength: 2 }),
  none: fc.array(numbers, { maxLength: 3 }),
});
type Lists = { any: number[][]; all: number[][]; none: number[][] };

const toPool = ({ any, all, none }: Lists): Pool => ({
  any: any.map(listSet),
  all: all.map(listSet),
  none: none.map(listSet),
});

/** By the definition. */
function membersOf({ any, all, none }: Lists): number[] {
  const candidates = [...new Set(any.flat())];
  return candidates.filter(
    (number) => all.every((set) => set.includes(number)) && !none.some((set) => set.includes(number)),
  );
}

describe('sampling', () => {
  test('a sampled number is in the pool and not excluded', () => {
    fc.assert(
      fc.property(pools, numbers, fc.integer(), (lists, exclude, seed) => {
        const number = sample(toPool(lists), exclude, seededRandom(seed));
        fc.pre(number !== null);
        expect(membersOf(lists)).toContain(number);
        expect(exclude).not.toContain(number);
      }),
    );
  });

  test.each([1, 2, 3, 4, 5])(
    'every number of overlapping sets of different sizes is equally likely (seed %i)',
    (seed) => {
      const lists: Lists = {
        any: [range(1, 60), range(40, 90), range(50, 55)],
        all: [range(5, 88)],
        none: [range(20, 29)],
      };
      const exclude = [41, 42, 43];
      const expected = membersOf(lists).filter((number) => !exclude.includes(number));
      const counts = countDraws(expected, 40_000, seed, (pool, random) => sample(pool, exclude, random), toPool(lists));
      expect(Math.abs(chiSquareDeviation(counts))).toBeLessThan(3.1);
    },
  );

  test('an unlucky sample gives up after 64 places', () => {
    let asked = 0;
    const pool = toPool({ any: [range(1, 1000)], all: [[1000]], none: [] });
    const number = sample(pool, [], () => {
      asked += 1;
      return 0;
    });
    expect([number, asked]).toEqual([null, 64]);
  });
});

describe('drawing from a computed set', () => {
  test('an excluded number is drawn only when there is no other', () => {
    fc.assert(
      fc.property(numbers, numbers, fc.integer(), (members, exclude, seed) => {
        const left = members.filter((number) => !exclude.includes(number));
        const number = draw(listSet(members), exclude, seededRandom(seed));
        if (members.length === 0) expect(number).toBeNull();
        else expect(left.length > 0 ? left : members).toContain(number);
      }),
    );
  });

  test.each([1, 2, 3, 4, 5])('what is left beside the excluded numbers is equally likely (seed %i)', (seed) => {
    const members = [3, 4, 9, 10, 11, 30, 31];
    const exclude = [1, 3, 10, 31, 77, 78, 79, 80];
    const counts = countDraws(
      [4, 9, 11, 30],
      20_000,
      seed,
      (pool, random) => draw(pool, exclude, random),
      listSet(members),
    );
    expect(Math.abs(chiSquareDeviation(counts))).toBeLessThan(3.1);
  });

  test('a set whose every number is excluded is drawn from all the same', () => {
    const counts = countDraws([1, 2, 3], 9_000, 7, (set, random) => draw(set, [1, 2, 3], random), listSet([1, 2, 3]));
    expect(Math.abs(chiSquareDeviation(counts))).toBeLessThan(3.1);
  });
});

function countDraws<Source extends Pool | NumberSet>(
  expected: readonly number[],
  times: number,
  seed: number,
  pick: (source: Source, random: (limit: number) => number) => number | null,
  source: Source,
): number[] {
  const random = seededRandom(seed);
  const counts = new Map(expected.map((number) => [number, 0]));
  for (let time = 0; time < times; time += 1) {
    const number = pick(source, random);
    if (number === null) continue;
    expect(counts.has(number)).toBe(true);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return [...counts.values()];
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
