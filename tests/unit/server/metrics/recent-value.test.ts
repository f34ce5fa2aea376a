import { afterEach, expect, test, vi } from 'vitest';
import { RecentValue } from '#server/metrics/metrics.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const times = { freshMs: 1_000, patienceMs: 200 };

afterEach(() => {
  vi.useRealTimers();
});

test('is read anew when it is no longer fresh', async () => {
  const clock = settableClock();
  let reads = 0;
  const value = new RecentValue(clock, async () => (reads += 1), vi.fn(), times);
  expect([await value.read(), await value.read()]).toEqual([1, 1]);
  clock.pass(999);
  expect(await value.read()).toBe(1);
  clock.pass(1);
  expect(await value.read()).toBe(2);
});

test('that hangs is waited for once, and not asked for a second time while it does', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const clock = settableClock();
  let finish: (value: string) => void = () => {};
  const source = vi.fn(
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  );
  const value = new RecentValue(clock, source, vi.fn(), times);
  const first = value.read();
  await vi.advanceTimersByTimeAsync(times.patienceMs);
  expect(await first).toBeNull();
  clock.pass(60_000);
  expect(await value.read()).toBeNull();
  expect(source).toHaveBeenCalledTimes(1);
  finish('late');
  await vi.advanceTimersByTimeAsync(0);
  // Sockets of earlier tests in this process may have timers of their own.
  const others = vi.getTimerCount();
  const next = value.read();
  finish('in time');
  expect(await next).toBe('in time');
  expect(vi.getTimerCount()).toBe(others);
});

test('says why it cannot be read, once until it can', async () => {
  const clock = settableClock();
  let isBroken = true;
  const onFault = vi.fn();
  const source = async () => {
    if (isBroken) throw new Error('broken');
    return 'whole';
  };
  const value = new RecentValue(clock, source, onFault, times);
  const readLater = () => {
    clock.pass(times.freshMs);
    return value.read();
  };
  expect([await readLater(), await readLater()]).toEqual([null, null]);
  expect(onFault).toHaveBeenCalledTimes(1);
  isBroken = false;
  expect(await readLater()).toBe('whole');
  isBroken = true;
  expect(await readLater()).toBeNull();
  expect(onFault).toHaveBeenCalledTimes(2);
});
