import { savesData } from '#app/platform/capabilities.ts';
import { playerOf } from '#app/playback/player/player-store.ts';
import { kbpsFor } from '#app/playback/quality/kbps-share.ts';
import type { PickQuery } from '#contract/entities/feed.ts';
import type { Quadrant } from '#contract/quadrants.ts';

/** What the server chooses an encoding by. */
export type PickDemand = Pick<PickQuery, 'width' | 'height' | 'kbps' | 'saves'>;

/** In device pixels and kilobits per second. */
export function pickDemand(quadrant: Quadrant): PickDemand {
  const { width, height } = playerOf(quadrant).size ?? estimateSize();
  return { width, height, kbps: kbpsFor(quadrant), saves: savesData() ? '1' : undefined };
}

/** The grid halves the window in every orientation; its outer width is near enough before the page is laid out. */
function estimateSize(): Pick<PickDemand, 'width' | 'height'> {
  return { width: Math.ceil(((window.outerWidth || window.innerWidth) / 2) * window.devicePixelRatio) };
}
