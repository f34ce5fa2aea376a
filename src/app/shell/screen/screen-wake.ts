import { subscribe } from 'valtio/vanilla';
import { keepScreenOn } from '#app/platform/wake-lock.ts';
import { playerFacts } from '#app/playback/player/player.ts';

/** Keeps the screen on while a video plays. Returns a function that stops it. */
export function watchPlaying(): () => void {
  updateWakeLock();
  const stop = subscribe(playerFacts, updateWakeLock);
  return () => {
    stop();
    keepScreenOn('playing', false);
  };
}

function updateWakeLock(): void {
  keepScreenOn(
    'playing',
    Object.values(playerFacts).some(({ hasFrame, isPaused }) => hasFrame && !isPaused),
  );
}
