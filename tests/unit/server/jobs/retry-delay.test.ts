import { expect, test } from 'vitest';
import { retryDelayMs } from '#server/jobs/runner.ts';

test('each attempt waits four times as long as the one before, at most an hour', () => {
  expect([1, 2, 3, 4, 20].map(retryDelayMs)).toEqual([10_000, 40_000, 160_000, 640_000, 3_600_000]);
});
