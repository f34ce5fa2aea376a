import { createSignal } from '#app/platform/signal.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { may, stepSeconds } from '#app/state/may.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { seekTarget } from '#contract/rules/settings.ts';

/** Emits after a seek by one step, with the new position. */
export const stepped = createSignal<{ quadrant: Quadrant; seconds: number }>();

/**
 * Seeks one step back or forward, or several at once. §5: ignored while the duration is unknown.
 */
export function seekBy(quadrant: Quadrant, direction: -1 | 1, steps = 1): void {
  const seconds = seekTo(quadrant, playerOf(quadrant).position, direction * steps * stepSeconds());
  if (seconds !== null) stepped.emit({ quadrant, seconds });
}

/**
 * @param seconds position in the video on screen
 * @returns the new position in seconds; null when the seek is ignored
 */
export function seekTo(quadrant: Quadrant, seconds: number, bySeconds = 0): number | null {
  const target = seekTarget(seconds, bySeconds, playerFacts[quadrant].durationSeconds ?? Number.NaN);
  if (!may('video_controls') || target === null) return null;
  playerOf(quadrant).seekTo(target);
  return target;
}

export function toggleMute(quadrant: Quadrant): void {
  if (may('video_controls')) playerOf(quadrant).setMuted(!playerFacts[quadrant].isMuted);
}

/** Rounds to the nearest step. Any volume above the minimum also unmutes. */
export function setVolume(quadrant: Quadrant, wished: number): void {
  if (!may('video_controls')) return;
  const { volumeMin, volumeMax, volumeStep } = limits;
  const steps = Math.round(Math.min(Math.max(wished, volumeMin), volumeMax) / volumeStep);
  const volume = steps / Math.round(1 / volumeStep);
  playerOf(quadrant).setVolume(volume);
  if (volume > volumeMin) playerOf(quadrant).setMuted(false);
  changeSettings({ volumes: { ...settings.volumes, [quadrant]: volume } });
}

/** @param speed 1: as recorded. It holds for the next videos of the quadrant, too. */
export function setSpeed(quadrant: Quadrant, speed: number): void {
  if (may('video_controls')) playerOf(quadrant).setSpeed(speed);
}

/** Applies the stored volumes of this device to players that have just been opened. */
export function restoreVolumes(): void {
  for (const quadrant of quadrants) playerOf(quadrant).setVolume(settings.volumes[quadrant]);
}
