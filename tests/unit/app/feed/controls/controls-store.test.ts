import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { controls, sleep, toggle, wake } from '#app/features/feed/controls/controls-store.ts';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  sleep();
  vi.useRealTimers();
});

test('controls hide 2.5 s after the last move of pointer or finger', () => {
  wake('top-left', 'pointer');
  vi.advanceTimersByTime(2_000);
  wake('top-left', 'pointer');
  vi.advanceTimersByTime(2_499);
  expect(controls.awake).toBe('top-left');
  vi.advanceTimersByTime(1);
  expect(controls.awake).toBeNull();
});

test('controls that a key woke hide after 5 s', () => {
  wake('top-left', 'key');
  vi.advanceTimersByTime(4_999);
  expect(controls.awake).toBe('top-left');
  vi.advanceTimersByTime(1);
  expect(controls.awake).toBeNull();
});

test('one quadrant is awake at a time', () => {
  wake('top-left', 'pointer');
  wake('bottom-right', 'pointer');
  expect(controls.awake).toBe('bottom-right');
});

test('a tap shows the controls, a second one hides them, one elsewhere moves them', () => {
  toggle('top-left');
  expect(controls.awake).toBe('top-left');
  toggle('top-right');
  expect(controls.awake).toBe('top-right');
  toggle('top-right');
  expect(controls.awake).toBeNull();
});
