import type { PlayerFacts } from '#app/playback/player/player-facts.ts';
import type { QuadrantRequest } from './quadrant-request.ts';

export type Phase = 'idle' | 'loading' | 'downloading' | 'preparing' | 'playing' | 'buffering' | 'blocked' | 'failed';

type Asked = Pick<QuadrantRequest, 'isAsking' | 'isDownloading' | 'failure'>;

/**
 * A quadrant's playback state, from what was asked for and what its elements reported. The order is that of §4's overlay messages:
 * what is most urgent to say goes first.
 */
export function phaseOf(request: Asked, facts: PlayerFacts): Phase {
  if (facts.isBlocked) return 'blocked';
  if (request.failure) return 'failed';
  if (request.isDownloading) return 'downloading';
  if (request.isAsking) return 'loading';
  if (facts.isPreparing) return 'preparing';
  if (facts.isWaiting) return 'buffering';
  return facts.hasFrame && !facts.isPaused ? 'playing' : 'idle';
}
