import { isBlocked } from '#app/state/channels/blocklist.ts';
import type { QuadrantState } from '../quadrant/quadrant-state.ts';
import { comingOf } from '../quadrant/quadrant-state.ts';

/** Ids of the quadrant's videos, shown, prepared or past, that have a blocked channel. */
export function blockedVideos(state: QuadrantState): string[] {
  const { shown, next, past } = state;
  return [shown, next, comingOf(state), ...past].flatMap((video) => (video && isBlocked(video) ? video.id : []));
}
