import { limits } from '#contract/limits.ts';
import type { Effect, Transition } from './quadrant-events.ts';
import type { QuadrantState } from './quadrant-state.ts';

/** The video that leaves the screen becomes past; the next one, where the viewer went back from it. */
export function commitShown(state: QuadrantState): Transition {
  const { activity, shown: left } = state;
  const restart: Effect = { type: 'restart-interval' };
  if (activity.kind !== 'coming') return [state, [restart]];
  const { video, back } = activity;
  const past = back ? state.past.slice(state.past.findIndex(({ id }) => id === video.id) + 1) : state.past;
  const shown: QuadrantState = {
    ...remember(state, video.id),
    activity: { kind: 'settled' },
    shown: video,
    isGivenAway: false,
    // A pinned video was on its way before the filter changed.
    isFilterPending: state.isFilterPending && state.pinned !== null,
    past,
  };
  if (!left || left.id === video.id || state.isFilterPending) return [shown, [restart]];
  if (back && !state.isGivenAway) return [{ ...shown, next: left }, [{ type: 'prepare-next', video: left }, restart]];
  return [
    {
      ...shown,
      past: newestFirst(
        left,
        past.filter(({ id }) => id !== left.id),
      ),
    },
    [restart],
  ];
}

/** Its id is not repeated soon. */
export function remember(state: QuadrantState, id: string): QuadrantState {
  return {
    ...state,
    recent: newestFirst(
      id,
      state.recent.filter((other) => other !== id),
    ),
  };
}

function newestFirst<Item>(newest: Item, others: readonly Item[]): Item[] {
  return [newest, ...others].slice(0, limits.recentVideosPerQuadrant);
}
