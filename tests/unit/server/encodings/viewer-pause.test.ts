import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ViewerPause } from '#server/features/encodings/running-encodings.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function watchPause() {
  const clock = settableClock();
  const changes: boolean[] = [];
  const pause = new ViewerPause({ clock, setPaused: (isPaused) => changes.push(isPaused) });
  const pass = (seconds: number, stallsEvery = 0) => {
    let paused = 0;
    for (let second = 0; second < seconds; second += 1) {
      if (stallsEvery > 0 && second % stallsEvery === 0) pause.noteStalls();
      paused += pause.pausedAt === null ? 0 : 1;
      clock.pass(1_000);
      vi.advanceTimersByTime(1_000);
    }
    return paused;
  };
  return { pause, changes, pass, clock };
}

describe('an encoding', () => {
  test('stands still when videos stall, and goes on when they have played for ten seconds', () => {
    const { pause, changes, pass, clock } = watchPause();
    const at = clock.now();
    pause.noteStalls();
    expect([changes, pause.pausedAt]).toEqual([[true], at]);
    pass(5);
    pause.noteStalls();
    pass(9);
    expect(changes).toEqual([true]);
    pass(1);
    expect([changes, pause.pausedAt]).toEqual([[true, false], null]);
  });

  test('is stopped half of each minute at most, however long one viewer stalls', () => {
    const { pass } = watchPause();
    expect(pass(60, 2)).toBe(30);
    let most = 0;
    const seconds = Array.from({ length: 600 }, () => pass(1, 1));
    for (let from = 0; from + 60 <= seconds.length; from += 1)
      most = Math.max(
        most,
        seconds.slice(from, from + 60).reduce((sum, paused) => sum + paused, 0),
      );
    expect(most).toBe(30);
  });

  test('that stands still when the server stops goes on, and is not stopped again', () => {
    const { pause, changes } = watchPause();
    pause.noteStalls();
    pause.stop();
    pause.noteStalls();
    expect(changes).toEqual([true, false]);
  });
});
