import { limits } from '#contract/limits.ts';
import type { Features } from './tiers.ts';

/** Whether a seek step can be chosen (§5 Settings). */
export function isSkipDuration(seconds: number): boolean {
  const isOnStep = Number.isInteger(seconds) && seconds % limits.skipDurationStepSeconds === 0;
  return isOnStep && seconds >= limits.skipDurationMinSeconds && seconds <= limits.skipDurationMaxSeconds;
}

export function checkSkipDuration(seconds: number): string | null {
  if (isSkipDuration(seconds)) return null;
  return `Skip duration must be ${limits.skipDurationMinSeconds} to ${limits.skipDurationMaxSeconds} seconds in steps of ${limits.skipDurationStepSeconds}`;
}

/** The seek step: the viewer's own where the tier allows one, else 60 s (§5 Settings). */
export function seekStep(features: Pick<Features, 'customizable_skip_limits'>, chosenSeconds: number): number {
  return features.customizable_skip_limits ? chosenSeconds : limits.skipDurationSeconds;
}

/**
 * The time that a seek leads to, in seconds; null when the duration is unknown: the seek is then
 * ignored (§5).
 */
export function seekTarget(current: number, bySeconds: number, duration: number): number | null {
  if (!Number.isFinite(duration) || duration <= 0) return null;
  return Math.min(Math.max(0, current + bySeconds), duration);
}

export function checkSwitchInterval(seconds: number): string | null {
  const { switchIntervalMinSeconds: min, switchIntervalMaxSeconds: max } = limits;
  return Number.isInteger(seconds) && seconds >= min && seconds <= max
    ? null
    : `Switch interval must be ${min} to ${max} seconds`;
}

/** `once`: every video once before any comes again; `random`: each draw is independent. */
export const shuffles = ['once', 'random'] as const;
export type Shuffle = (typeof shuffles)[number];

/** The cookie with the `Shuffle` of a device without an account; `once` if it is absent. */
export const shuffleCookie = 'shuffle';

/** The cookie with the language of the audio track that was chosen last on a device. */
export const audioCookie = 'audio';

/** The kinds of devices that a page is shown on. */
export const screenForms = ['phone', 'tablet', 'desktop', 'tv'] as const;

export type ScreenForm = (typeof screenForms)[number];
