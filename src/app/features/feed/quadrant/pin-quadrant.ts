import { ask } from './ask.ts';
import type { Effect, EventOf, Transition } from './quadrant-events.ts';
import { unpinEffects } from './quadrant-events.ts';
import type { QuadrantState } from './quadrant-state.ts';
import { comingOf, isSettled } from './quadrant-state.ts';
import { waitForScreen } from './quadrant-waits.ts';

/**
 * Stops auto-advance and loops the video. What was to follow is dropped; a video that has just broken is loaded again.
 */
export function pin(state: QuadrantState, { at, hasFailed }: EventOf<'pin'>, now: number): Transition {
  if (!state.shown) return [state, []];
  if (state.isGivenAway) return pinComing(state);
  const pinned: QuadrantState = {
    ...state,
    activity: { kind: 'settled' },
    pinned: { video: state.shown, failures: 0, at },
    next: null,
  };
  const effects: Effect[] = [
    { type: 'stop' },
    { type: 'cancel' },
    { type: 'drop-next' },
    { type: 'loop', isLooping: true },
  ];
  return hasFailed ? waitForScreen(pinned, 'video-error', now, effects) : [pinned, effects];
}

function pinComing(state: QuadrantState): Transition {
  if (state.activity.kind !== 'coming') return [state, []];
  const { video, at } = state.activity;
  return [{ ...state, pinned: { video, failures: 0, at } }, [{ type: 'loop', isLooping: true }]];
}

/** A filter that was chosen in the meantime takes effect, also before a pinned video has come. */
export function unpin(state: QuadrantState): Transition {
  const unpinned = { ...state, pinned: null };
  if (state.isFilterPending && (isSettled(state) || comingOf(state)))
    return ask(unpinned, null, [{ type: 'cancel' }, ...unpinEffects]);
  return [unpinned, [...unpinEffects, { type: 'consider-next' }]];
}
