import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { controls, hideControls, showControls, toggleControls } from '#app/features/feed/controls/controls-store.ts';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  hideControls();
  vi.useRealTimers();
});

test('controls hide 2.5 s after the last move of pointer or finger', () => {
  showControls('top-left', 'pointer');
  vi.advanceTimersByTime(2_000);
  showControls('top-left', 'pointer');
  vi.advanceTimersByTime(2_499);
  expect(controls.active).toBe('top-left');
  vi.advanceTimersByTime(1);
  expect(controls.active).toBeNull();
});

test('controls that a key woke hide after 5 s', () => {
  showControls('top-left', 'key');
  vi.advanceTimersByTime(4_999);
  expect(controls.active).toBe('top-left');
  vi.advanceTimersByTime(1);
  expect(controls.active).toBeNull();
});

test('one quadrant is awake at a time', () => {
  showControls('top-left', 'pointer');
  showControls('bottom-right', 'pointer');
  expect(controls.active).toBe('bottom-right');
});

test('a tap shows the controls, a second one hides them, one elsewhere moves them', () => {
  toggleControls('top-left');
  expect(controls.active).toBe('top-left');
  toggleControls('top-right');
  expect(controls.active).toBe('top-right');
  toggleControls('top-right');
  expect(controls.active).toBeNull();
});
