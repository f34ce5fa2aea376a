import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { adjustPace, startPace } from '#server/features/streaming/pace.ts';
import { createStallWatch } from '#server/features/streaming/stall-watch.ts';

const clock = { now: () => Date.now(), elapsed: () => Date.now() };

describe('a write that its client does not take', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const write = (bytes: number) => ({ bytes, onStall: vi.fn<() => void>(), cut: vi.fn<() => void>() });

  test('is told once that it has stalled, and counts until it ends', () => {
    const watch = createStallWatch(clock, { afterMs: 500, capBytes: 100 });
    const slow = write(10);
    const done = watch.watch(slow);
    vi.advanceTimersByTime(400);
    expect(slow.onStall).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(slow.onStall).toHaveBeenCalledOnce();
    expect(watch.stalledBytes).toBe(10);
    done();
    done();
    expect(watch.stalledBytes).toBe(0);
  });

  test('is not stalled when it ends in time', () => {
    const watch = createStallWatch(clock, { afterMs: 500, capBytes: 100 });
    const quick = write(10);
    const done = watch.watch(quick);
    vi.advanceTimersByTime(400);
    done();
    vi.advanceTimersByTime(2_000);
    expect(quick.onStall).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is cut when those that stall hold too much, the longest first and no more than needed', () => {
    const watch = createStallWatch(clock, { afterMs: 500, capBytes: 25 });
    const [first, second, third] = [write(10), write(10), write(10)];
    for (const each of [first, second, third]) {
      watch.watch(each);
      vi.advanceTimersByTime(100);
    }
    vi.advanceTimersByTime(2_000);
    expect([first, second, third].map(({ cut }) => cut.mock.calls.length)).toEqual([1, 0, 0]);
    expect(watch.stalledBytes).toBe(20);
  });
});

describe('the pace of a client', () => {
  test('grows while it takes what it is given, up to a limit', () => {
    const pace = startPace(1);
    const started = pace.bytes;
    for (let writes = 0; writes < 31; writes += 1) adjustPace(pace, 5);
    expect(pace.bytes).toBe(started);
    for (let writes = 0; writes < 500; writes += 1) adjustPace(pace, 5);
    expect(pace.bytes).toBe(512 * 1024);
  });

  test('falls when it makes us wait, down to a limit', () => {
    const pace = startPace(1);
    for (let writes = 0; writes < 10; writes += 1) adjustPace(pace, 1_000);
    expect(pace.bytes).toBe(32 * 1024);
  });

  test('starts lower among many', () => {
    expect(startPace(101).bytes).toBeLessThan(startPace(100).bytes);
  });
});
