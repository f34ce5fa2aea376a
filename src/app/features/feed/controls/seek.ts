import { playerFacts, playerOf } from '#app/playback/player/player-store.ts';
import { may, stepSeconds } from '#app/state/may.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { seekTarget } from '#contract/rules/duration.ts';

/** One step back or forward. §5: ignored while the length is unknown. */
export function seekBy(quadrant: Quadrant, direction: -1 | 1): void {
  seekTo(quadrant, playerOf(quadrant).position, direction * stepSeconds());
}

/** @param seconds into the video on screen */
export function seekTo(quadrant: Quadrant, seconds: number, bySeconds = 0): void {
  const target = seekTarget(seconds, bySeconds, playerFacts[quadrant].durationSeconds ?? Number.NaN);
  if (may('video_controls') && target !== null) playerOf(quadrant).seekTo(target);
}
