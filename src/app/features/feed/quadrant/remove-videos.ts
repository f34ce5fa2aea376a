import type { FeedVideo } from './feed-video.ts';
import type { Effect } from './quadrant-events.ts';
import { unpinEffects } from './quadrant-events.ts';
import type { QuadrantState } from './quadrant-state.ts';
import { comingOf, isSettled } from './quadrant-state.ts';

interface Removal {
  /** The quadrant without the videos: on screen, prepared, pinned and past. What is coming is still the same. */
  rest: QuadrantState;
  effects: readonly Effect[];
  /** What was on screen, or on its way there, is gone, and nothing else is on its way. */
  isLacking: boolean;
}

/** Takes videos that may be shown no more out of a quadrant's state. */
export function removeVideos(state: QuadrantState, ids: readonly string[]): Removal {
  const isGone = (video: FeedVideo | null | undefined) => Boolean(video && ids.includes(video.id));
  const { shown, next, pinned, past } = state;
  const effects: Effect[] = [];
  const rest = { ...state, past: past.filter((video) => !isGone(video)) };
  if (isGone(pinned?.video)) {
    rest.pinned = null;
    effects.push(...unpinEffects);
  }
  if (isGone(next)) {
    rest.next = null;
    effects.push({ type: 'drop-next' });
  }
  if (isGone(shown)) {
    Object.assign(rest, { shown: null, isGivenAway: false });
    effects.push({ type: 'clear' });
  }
  const isLacking = isGone(comingOf(state)) || (isGone(shown) && isSettled(state));
  return { rest, effects, isLacking };
}
