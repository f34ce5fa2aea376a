import { limits } from '#contract/limits.ts';
import type { Features } from './tiers.ts';

/** A seek step as the settings show it: '30 seconds', '1 minute', '20m 30s' (§9). */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${seconds} seconds`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (rest > 0) return `${minutes}m ${rest}s`;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/**
 * A position or a length in a video: '0:07', '2:51', '1:02:09'. Fractions of a second are dropped;
 * an unknown value reads '--:--'.
 */
export function clockText(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '--:--';
  const whole = Math.floor(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = twoDigits(whole % 60);
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${twoDigits(minutes)}:${rest}`;
}

/** Whether a seek step can be chosen (§5 Settings). */
export function isSkipDuration(seconds: number): boolean {
  const isOnStep = Number.isInteger(seconds) && seconds % limits.skipDurationStepSeconds === 0;
  return isOnStep && seconds >= limits.skipDurationMinSeconds && seconds <= limits.skipDurationMaxSeconds;
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

function twoDigits(part: number): string {
  return String(part).padStart(2, '0');
}
