import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SwitchTimer } from '#app/features/feed/quadrant/quadrant-machine.ts';

const passed = vi.fn();
let interval: number;
let timer: SwitchTimer;

beforeEach(() => {
  vi.useFakeTimers();
  passed.mockReset();
  interval = 120_000;
  timer = new SwitchTimer(() => interval, passed);
});

afterEach(() => void vi.useRealTimers());

test('a video that plays on passes its interval once', () => {
  timer.run();
  vi.advanceTimersByTime(119_999);
  expect(passed).not.toHaveBeenCalled();
  vi.advanceTimersByTime(240_000);
  expect(passed).toHaveBeenCalledOnce();
});

test('a pause does not count', () => {
  timer.run();
  vi.advanceTimersByTime(100_000);
  timer.hold();
  vi.advanceTimersByTime(3_600_000);
  timer.run();
  vi.advanceTimersByTime(19_999);
  expect(passed).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(passed).toHaveBeenCalledOnce();
});

test('another video has a full interval', () => {
  timer.run();
  vi.advanceTimersByTime(100_000);
  timer.restart();
  vi.advanceTimersByTime(119_999);
  expect(passed).not.toHaveBeenCalled();
});

test('a shorter interval holds for the time that was played already', () => {
  timer.run();
  vi.advanceTimersByTime(50_000);
  interval = 60_000;
  timer.adjust();
  vi.advanceTimersByTime(10_000);
  expect(passed).toHaveBeenCalledOnce();
});

test('a clock that was set back takes nothing from the time played', () => {
  timer.run();
  vi.advanceTimersByTime(60_000);
  timer.hold();
  timer.run();
  vi.setSystemTime(Date.now() - 3_600_000);
  timer.hold();
  timer.run();
  vi.advanceTimersByTime(60_000);
  expect(passed).toHaveBeenCalledOnce();
});
