import { playerFacts, playerOf } from '#app/playback/player/player-store.ts';
import { may } from '#app/state/may.ts';
import { settings } from '#app/state/settings.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { seekStep, seekTarget } from '#contract/rules/duration.ts';

/**
 * Seconds of one step: the viewer's own where the tier allows one.
 * @param viewer the session, or its snapshot where a component draws by it, as are the settings
 */
export function stepSeconds(
  viewer?: Parameters<typeof may>[1],
  { seekStepSeconds }: { readonly seekStepSeconds: number } = settings,
): number {
  return seekStep({ customizable_skip_limits: may('customizable_skip_limits', viewer) }, seekStepSeconds);
}

/** One step back or forward. §5: ignored while the length is unknown. */
export function seekBy(quadrant: Quadrant, direction: -1 | 1): void {
  seekTo(quadrant, playerOf(quadrant).position, direction * stepSeconds());
}

/** @param seconds into the video on screen */
export function seekTo(quadrant: Quadrant, seconds: number, bySeconds = 0): void {
  const target = seekTarget(seconds, bySeconds, playerFacts[quadrant].durationSeconds ?? Number.NaN);
  if (may('video_controls') && target !== null) playerOf(quadrant).seekTo(target);
}
