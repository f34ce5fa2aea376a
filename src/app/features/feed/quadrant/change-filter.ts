import { ask } from './ask.ts';
import type { Effect, EventOf, Transition } from './quadrant-events.ts';
import type { QuadrantState } from './quadrant-state.ts';

/**
 * Nothing that was drawn before is shown again. The video on screen stays until another one has a frame, and a pinned
 * one while it is pinned.
 */
export function changeFilter(state: QuadrantState, { filter }: EventOf<'filter'>): Transition {
  const changed: QuadrantState = {
    ...state,
    ...{ filter, isFilterPending: state.shown !== null, delay: null, next: null, past: [] },
    recent: state.shown ? [state.shown.id] : [],
  };
  if (state.pinned) return [changed, []];
  const effects: Effect[] = [{ type: 'stop' }, { type: 'cancel' }, { type: 'drop-next' }];
  if (state.isSeen) return ask(changed, null, effects);
  return [{ ...changed, activity: { kind: 'waiting', for: 'screen', reason: 'out-of-sight', until: null } }, effects];
}
