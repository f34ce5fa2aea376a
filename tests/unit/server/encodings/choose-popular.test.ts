import { expect, test } from 'vitest';
import { choosePopular } from '#server/features/encodings/planner.ts';

const minute = 60_000;
const megabyte = 1_000_000;

/** Ten minutes in 1080 lines. */
function film(name: string, picks: number, megabytes: number, durationMs: number | null = 10 * minute) {
  const facts = { durationMs, width: 1_920, height: 1_080, container: 'mp4', videoCodec: 'avc' } as const;
  return { name, picks, size: megabytes * megabyte, ...facts };
}

test.each([
  ['the one that is picked most, of equal ones', [film('a', 3, 900), film('b', 5, 900)], 1e12, 'b'],
  ['the one that saves most by all its picks', [film('a', 3, 3_000), film('b', 5, 900)], 1e12, 'a'],
  ['none that has hardly more bits than an encoding', [film('a', 90, 150)], 1e12, null],
  ['none of unknown length', [film('a', 90, 900, null)], 1e12, null],
  ['none that does not fit', [film('a', 90, 900)], 50 * megabyte, null],
  ['a smaller one that fits', [film('a', 90, 9_000, 100 * minute), film('b', 2, 900)], 150 * megabyte, 'b'],
  ['nothing of nothing', [], 1e12, null],
] as const)('%s', (_, videos, freeBytes, chosen) => {
  expect(choosePopular(videos, freeBytes)?.name ?? null).toBe(chosen);
});
