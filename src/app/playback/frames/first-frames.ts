import { subscribe } from 'valtio/vanilla';
import { after } from '../../platform/timers.ts';
import type { PlayerFacts } from '../player/player-facts.ts';
import { playerFacts } from '../player/player-store.ts';

/** Runs once, when all four quadrants have a frame or the time is up. */
export function afterFirstFrames(maxMs: number, run: () => void): void {
  afterAllFour(({ hasFrame }) => hasFrame, maxMs, run);
}

function afterAllFour(isThere: (facts: PlayerFacts) => boolean, maxMs: number, run: () => void): void {
  const finish = () => {
    stopListening();
    cancel();
    run();
  };
  const areAllThere = () => Object.values(playerFacts).every(isThere);
  const stopListening = subscribe(playerFacts, () => areAllThere() && finish());
  const cancel = after(areAllThere() ? 0 : maxMs, finish);
}
