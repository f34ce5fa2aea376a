import type { PlayerError } from './load-source.ts';
import type { PlayerFacts } from './player-facts.ts';

/** What happens to a player, in this order. */
export type PlayerEvent =
  | { type: 'changed'; facts: Partial<PlayerFacts> }
  /** Another video is on screen. */
  | { type: 'shown' }
  | { type: 'ended' }
  /** The source being prepared, or the one on screen when none is, gives no frames. `at`: the second on screen. */
  | { type: 'failed'; error: PlayerError; at: number }
  /** What was prepared to follow gives no frames, and is dropped. */
  | { type: 'next-failed'; error: PlayerError };

/** What happens to the parts of a player. */
export type PartEvent =
  | Extract<PlayerEvent, { type: 'changed' | 'ended' | 'next-failed' }>
  /** The layers have changed places. */
  | { type: 'swapped' }
  /** What was on its way to the screen gives no frames. */
  | { type: 'coming-failed'; error: PlayerError; videoId: string | undefined }
  /** The video on screen cannot go on. */
  | { type: 'active-failed'; error: PlayerError };

export type EmitPart = (event: PartEvent) => void;
