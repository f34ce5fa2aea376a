import type { Clock } from '#server/clock.ts';

export interface SettableClock extends Clock {
  pass(ms: number): void;
  /** Sets the wall clock alone, as an operator or a time server does. */
  jump(ms: number): void;
}

/**
 * A clock that stands still until it is told otherwise. It starts at the present: certificates and libraries look at
 * the real one.
 */
export function settableClock(): SettableClock {
  let now = Date.now();
  // Also the system's has fractions here, and none in what it calls now.
  let elapsed = 1_000.25;
  return {
    now: () => now,
    elapsed: () => elapsed,
    pass(ms) {
      now += ms;
      elapsed += ms;
    },
    jump(ms) {
      now += ms;
    },
  };
}
