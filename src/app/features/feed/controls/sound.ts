import { playerFacts, playerOf } from '#app/playback/player/player-store.ts';
import { may } from '#app/state/may.ts';
import { changeSettings, settings } from '#app/state/settings.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';

export function toggleMute(quadrant: Quadrant): void {
  if (may('video_controls')) playerOf(quadrant).setMuted(!playerFacts[quadrant].isMuted);
}

/** Rounds to the nearest step. Any volume above the least also unmutes. */
export function setVolume(quadrant: Quadrant, wished: number): void {
  if (!may('video_controls')) return;
  const { volumeMin, volumeMax, volumeStep } = limits;
  const steps = Math.round(Math.min(Math.max(wished, volumeMin), volumeMax) / volumeStep);
  const volume = steps / Math.round(1 / volumeStep);
  playerOf(quadrant).setVolume(volume);
  if (volume > volumeMin) playerOf(quadrant).setMuted(false);
  changeSettings({ volumes: { ...settings.volumes, [quadrant]: volume } });
}

/** The volumes of this device, for players that have just been opened. */
export function restoreVolumes(): void {
  for (const quadrant of quadrants) playerOf(quadrant).setVolume(settings.volumes[quadrant]);
}
