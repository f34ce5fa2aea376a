import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { adjustPace, hurryPace, StallWatch, startPace } from '#server/features/streaming/client-pace.ts';

describe('a write that its client does not take', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const takesMs = 60_000;
  const write = (bytes: number) => ({ bytes, onStall: vi.fn<() => void>(), cut: vi.fn<() => void>() });

  test('is told once that it has stalled, and counts until it ends', () => {
    const watch = new StallWatch({ afterMs: 500, capBytes: 100, takesMs });
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
    const watch = new StallWatch({ afterMs: 500, capBytes: 100, takesMs });
    const quick = write(10);
    const done = watch.watch(quick);
    vi.advanceTimersByTime(400);
    done();
    vi.advanceTimersByTime(2_000);
    expect(quick.onStall).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is not stalled because the process had no time to look at it', () => {
    const watch = new StallWatch({ afterMs: 500, capBytes: 100, takesMs });
    const quick = write(10);
    const done = watch.watch(quick);
    // What a loop that was held up for ten seconds sees: one look, and then the sockets.
    vi.setSystemTime(Date.now() + 10_000);
    vi.advanceTimersByTime(250);
    done();
    vi.advanceTimersByTime(2_000);
    expect(quick.onStall).not.toHaveBeenCalled();
  });

  test('is cut when those that stall hold too much, the longest first and no more than needed', () => {
    const watch = new StallWatch({ afterMs: 500, capBytes: 25, takesMs });
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

describe('a client that takes nearly nothing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const kibibyte = 1024;

  test.each([
    [64, 60],
    [256, 240],
  ])('is cut when it has not taken %i KiB within %i seconds', (kibibytes, seconds) => {
    const watch = new StallWatch({ afterMs: 500, capBytes: 1024 * kibibyte, takesMs: 60_000 });
    const stalled = { bytes: kibibytes * kibibyte, onStall: vi.fn<() => void>(), cut: vi.fn<() => void>() };
    watch.watch(stalled);
    vi.advanceTimersByTime((seconds - 1) * 1_000);
    expect(stalled.cut).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_000);
    expect(stalled.cut).toHaveBeenCalledOnce();
    expect([watch.stalledBytes, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('makes room for others, the longest first', () => {
    const watch = new StallWatch({ afterMs: 500, capBytes: 1024 * kibibyte, takesMs: 60_000 });
    const [first, second] = [1, 2].map(() => ({ bytes: 10, onStall() {}, cut: vi.fn<() => void>() }));
    for (const each of [first, second]) {
      if (each !== undefined) watch.watch(each);
      vi.advanceTimersByTime(100);
    }
    expect(watch.cutLongest()).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(watch.cutLongest()).toBe(true);
    expect([first, second].map((each) => each?.cut.mock.calls.length)).toEqual([1, 0]);
  });
});

describe('the pace of a client', () => {
  const mebibyte = 1024 * 1024;
  const film = 1024 * mebibyte;

  test('grows while it takes more than the system alone would hold for it, up to a limit', () => {
    const pace = startPace(false, film);
    const started = pace.bytes;
    for (let taken = started; taken < 4 * mebibyte; taken += started) adjustPace(pace, started, false);
    expect(pace.bytes).toBe(started);
    for (let writes = 0; writes < 500; writes += 1) adjustPace(pace, pace.bytes, false);
    expect(pace.bytes).toBe(mebibyte);
  });

  test('is the whole at once when a client that has a connection to itself asks for no more than a piece', () => {
    expect(startPace(false, 2 * mebibyte).bytes).toBe(mebibyte);
    expect(startPace(true, 2 * mebibyte).bytes).toBe(startPace(true, film).bytes);
  });

  test('falls when it makes us wait, down to a limit', () => {
    const pace = startPace(false, mebibyte);
    for (let writes = 0; writes < 10; writes += 1) adjustPace(pace, pace.bytes, true);
    expect(pace.bytes).toBe(startPace(false, film).bytes);
  });

  test('stays lower on a connection that others share', () => {
    const pace = startPace(true, film);
    for (let answers = 0; answers < 10; answers += 1) hurryPace(pace);
    expect(pace.bytes).toBe(256 * 1024);
  });

  test('grows when it has taken the whole of an answer', () => {
    const pace = startPace(false, film);
    hurryPace(pace);
    expect(pace.bytes).toBeGreaterThan(startPace(false, film).bytes);
  });
});
