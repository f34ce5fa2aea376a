import type { PlayerError } from './load-source.ts';
import type { PlayerFacts } from './player-facts.ts';

export interface PlayerListener {
  changed(facts: Partial<PlayerFacts>): void;
  /** Another video took the screen. */
  shown(): void;
  ended(): void;
  /** The source being prepared, or the one on screen when none is, gives no picture. */
  failed(): void;
  /** What was prepared to follow gives no picture, and is dropped. */
  nextFailed(error: PlayerError): void;
}
