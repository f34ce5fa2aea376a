import type { NumberSet } from '#server/id-sets/tag-selection.ts';
import type { RandomBelow } from '#server/ids.ts';

/** The plainest set there is. */
export function listSet(numbers: Iterable<number>): NumberSet {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  return { size: sorted.length, has: (number) => sorted.includes(number), select: (rank) => sorted[rank]! };
}

/** The same numbers for the same seed (mulberry32). */
export function seededRandom(seed: number): RandomBelow {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/**
 * How far counts of equally likely outcomes are from each other: standard deviations from what chi-square expects
 * (Wilson and Hilferty), so that -3.1 to 3.1 is p from 0.001 to 0.999.
 */
export function chiSquareDeviation(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const chiSquare = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
  const freedom = counts.length - 1;
  return (Math.cbrt(chiSquare / freedom) - (1 - 2 / (9 * freedom))) / Math.sqrt(2 / (9 * freedom));
}
