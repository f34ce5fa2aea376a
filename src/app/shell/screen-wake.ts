import { subscribe } from 'valtio/vanilla';
import { keepScreenOn } from '../platform/wake-lock.ts';
import { playerFacts } from '../playback/player/player-store.ts';

/** The screen stays on while a video plays. Returns what stops it. */
export function followPlaying(): () => void {
  settle();
  const stop = subscribe(playerFacts, settle);
  return () => {
    stop();
    keepScreenOn(false);
  };
}

function settle(): void {
  keepScreenOn(Object.values(playerFacts).some(({ hasFrame, isPaused }) => hasFrame && !isPaused));
}
