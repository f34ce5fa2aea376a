import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { afterFirstFrames, playerFacts } from '#app/playback/player/player.ts';
import { quadrants } from '#contract/quadrants.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  for (const quadrant of quadrants) Object.assign(playerFacts[quadrant], { hasFrame: false });
});

describe('what waits until the fourth picture stands', () => {
  test('runs then, and once', async () => {
    const run = vi.fn();
    afterFirstFrames(4_000, run);
    for (const quadrant of quadrants.slice(1)) playerFacts[quadrant].hasFrame = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(run).not.toHaveBeenCalled();
    playerFacts['top-left'].hasFrame = true;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('runs at once when it has passed already', async () => {
    const run = vi.fn();
    for (const quadrant of quadrants) playerFacts[quadrant].hasFrame = true;
    await vi.advanceTimersByTimeAsync(1);
    afterFirstFrames(4_000, run);
    await vi.advanceTimersByTimeAsync(0);
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('runs when the time is up and nothing came', async () => {
    const run = vi.fn();
    afterFirstFrames(4_000, run);
    await vi.advanceTimersByTimeAsync(3_999);
    expect(run).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(run).toHaveBeenCalledTimes(1);
  });
});
