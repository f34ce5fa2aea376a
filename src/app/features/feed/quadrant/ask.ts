import type { Effect, Transition } from './quadrant-events.ts';
import type { QuadrantState, WaitReason } from './quadrant-state.ts';

/** Opens a call whose video goes to the screen. `after`: why there was none before. */
export function ask(state: QuadrantState, after: WaitReason | null, effects: readonly Effect[] = []): Transition {
  return [{ ...state, activity: { kind: 'asking', for: 'screen', after } }, [...effects, { type: 'ask' }]];
}
