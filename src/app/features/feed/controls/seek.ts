import { createSignal } from '#app/platform/signal.ts';
import { playerFacts, playerOf } from '#app/playback/player/player-store.ts';
import { may, stepSeconds } from '#app/state/may.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { seekTarget } from '#contract/rules/duration.ts';

/** A step has been sought, to this second. */
export const stepped = createSignal<{ quadrant: Quadrant; seconds: number }>();

/** One step back or forward. §5: ignored while the length is unknown. */
export function seekBy(quadrant: Quadrant, direction: -1 | 1): void {
  const seconds = seekTo(quadrant, playerOf(quadrant).position, direction * stepSeconds());
  if (seconds !== null) stepped.emit({ quadrant, seconds });
}

/**
 * @param seconds into the video on screen
 * @returns where it leads; null where it is ignored
 */
export function seekTo(quadrant: Quadrant, seconds: number, bySeconds = 0): number | null {
  const target = seekTarget(seconds, bySeconds, playerFacts[quadrant].durationSeconds ?? Number.NaN);
  if (!may('video_controls') || target === null) return null;
  playerOf(quadrant).seekTo(target);
  return target;
}
