import { limits } from '#contract/limits.ts';
import { isSkipDuration } from './duration.ts';

/** `once`: every video once before any comes again; `random`: each draw is independent. */
export const shuffles = ['once', 'random'] as const;
export type Shuffle = (typeof shuffles)[number];

/** The cookie with the `Shuffle` of a device without an account; `once` if it is absent. */
export const shuffleCookie = 'shuffle';

export function checkSkipDuration(seconds: number): string | null {
  if (isSkipDuration(seconds)) return null;
  return `Skip duration must be ${limits.skipDurationMinSeconds} to ${limits.skipDurationMaxSeconds} seconds in steps of ${limits.skipDurationStepSeconds}`;
}

export function checkSwitchInterval(seconds: number): string | null {
  const { switchIntervalMinSeconds: min, switchIntervalMaxSeconds: max } = limits;
  return Number.isInteger(seconds) && seconds >= min && seconds <= max
    ? null
    : `Switch interval must be ${min} to ${max} seconds`;
}
