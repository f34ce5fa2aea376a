import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WallLimit } from '#server/media/sandbox/pause.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('time in which a program stands still does not count', () => {
  const onReached = vi.fn();
  const limit = new WallLimit(10, onReached);
  limit.start();
  vi.advanceTimersByTime(6_000);
  limit.stop();
  vi.advanceTimersByTime(3_600_000);
  limit.start();
  vi.advanceTimersByTime(3_900);
  expect(onReached).not.toHaveBeenCalled();
  vi.advanceTimersByTime(200);
  expect(onReached).toHaveBeenCalledOnce();
});

test('a limit of months is not reached at once', () => {
  const onReached = vi.fn();
  new WallLimit(10_000_000, onReached).start();
  vi.advanceTimersByTime(3_600_000);
  expect(onReached).not.toHaveBeenCalled();
});
