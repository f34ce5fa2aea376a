import { expect, test } from 'vitest';
import { encodeLimits } from '#server/media/encode/encode-arguments.ts';
import { encodingThreads } from '#server/media/encode/ffmpeg-encoder.ts';

test('what an encoding may take grows with its length, from a generous floor to a week', () => {
  const hours = (count: number | null) => encodeLimits(count === null ? null : count * 3_600_000, 1_000);
  expect(hours(0)).toMatchObject({ seconds: 4_800, processorSeconds: 600, fileBytes: 1_000 });
  expect(hours(2)).toMatchObject({ processorSeconds: 216_600, seconds: 604_800 });
  expect(hours(null).processorSeconds).toBe(hours(4).processorSeconds);
  expect(hours(1_000)).toEqual(hours(24));
});

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [32, 4],
])('of %i processors %i encode', (processors, threads) => {
  expect(encodingThreads(processors)).toBe(threads);
});
