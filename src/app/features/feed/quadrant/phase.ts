import type { PlayerFacts } from '#app/playback/player/player-facts.ts';
import type { QuadrantState } from './quadrant-state.ts';
import { failureOf, reasonOf } from './quadrant-state.ts';

export type Phase = 'idle' | 'loading' | 'downloading' | 'preparing' | 'playing' | 'buffering' | 'blocked' | 'failed';

/**
 * A quadrant's playback state, from what it is doing and what its elements reported. The order is that of §4's overlay
 * messages: what is most urgent to say goes first.
 */
export function phaseOf(state: Pick<QuadrantState, 'activity'>, facts: PlayerFacts): Phase {
  if (facts.isBlocked) return 'blocked';
  if (failureOf(state)) return 'failed';
  const reason = reasonOf(state);
  if (reason === 'downloading') return 'downloading';
  if (reason === 'out-of-sight' || isAskingForScreen(state)) return 'loading';
  if (facts.isPreparing) return 'preparing';
  if (facts.isWaiting) return 'buffering';
  return facts.hasFrame && !facts.isPaused ? 'playing' : 'idle';
}

function isAskingForScreen({ activity }: Pick<QuadrantState, 'activity'>): boolean {
  return activity.kind === 'asking' && activity.for === 'screen';
}
