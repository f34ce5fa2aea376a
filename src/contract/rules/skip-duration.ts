import { limits } from '#contract/limits.ts';
import { isSkipDuration } from './duration.ts';

export function checkSkipDuration(seconds: number): string | null {
  if (isSkipDuration(seconds)) return null;
  return `Skip duration must be ${limits.skipDurationMinSeconds} to ${limits.skipDurationMaxSeconds} seconds in steps of ${limits.skipDurationStepSeconds}`;
}
