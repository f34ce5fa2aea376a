import { limits } from '#contract/limits.ts';

export function checkSwitchInterval(seconds: number): string | null {
  const { switchIntervalMinSeconds: min, switchIntervalMaxSeconds: max } = limits;
  return Number.isInteger(seconds) && seconds >= min && seconds <= max
    ? null
    : `Switch interval must be ${min} to ${max} seconds`;
}
