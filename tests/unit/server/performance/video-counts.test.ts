import { expect, test } from 'vitest';
import { VideoCounts } from '#server/features/performance/video-slots.ts';

const played = { stalls: 0, failures: 0, playedMs: 1_000 };
const stalled = { ...played, stalls: 1 };
const broken = { ...played, failures: 1 };

test('videos with trouble take the places of those without, and the worst are worth a row', () => {
  const counts = new VideoCounts({ remembered: 4, stored: 3 });
  for (const id of ['a', 'b', 'c', 'd', 'e']) counts.add(id, played);
  counts.add('b', played);
  expect(counts.listStored().map(([id]) => id)).toEqual(['a', 'b', 'c']);
  counts.add('f', stalled);
  counts.add('d', broken);
  expect(counts.listStored()).toEqual([
    ['d', { stalls: 0, failures: 1, playedMs: 2_000 }],
    ['f', stalled],
    ['b', { ...played, playedMs: 2_000 }],
  ]);
  for (const id of ['g', 'h', 'i']) counts.add(id, broken);
  // No quiet one is left to make room.
  expect(counts.listStored().map(([id]) => id)).toEqual(['d', 'g', 'h']);
});

test('what is trimmed is what has no row', () => {
  const counts = new VideoCounts({ remembered: 10, stored: 2 });
  for (const [id, sums] of [
    ['a', played],
    ['b', stalled],
    ['c', broken],
  ] as const)
    counts.add(id, sums);
  const before = counts.listStored();
  counts.trim();
  expect(counts.listStored()).toEqual(before);
  counts.add('a', stalled);
  expect(counts.listStored().map(([id]) => id)).toEqual(['c', 'b']);
});
