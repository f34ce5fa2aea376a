import { subscribe } from 'valtio/vanilla';
import { clearMediaSession, showInMediaSession } from '#app/platform/media-session.ts';
import { playerFacts } from '#app/playback/player/player-store.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed } from '../quadrant/feed-state.ts';
import { setPaused, skip, skipBack } from '../quadrant/quadrant-actions.ts';
import { seekBy } from './seek.ts';

/**
 * Connects lock screen, headset and media keys to the quadrant that is heard: of several, the one that was unmuted
 * last. Returns what stops it.
 */
export function shareMediaSession(): () => void {
  let audible: Quadrant[] = [];
  let shared = '';
  const update = () => {
    const sounding = quadrants.filter((quadrant) => !playerFacts[quadrant].isMuted && feed.quadrants[quadrant].shown);
    audible = [
      ...audible.filter((quadrant) => sounding.includes(quadrant)),
      ...sounding.filter((quadrant) => !audible.includes(quadrant)),
    ];
    const words = wordsOf(audible[audible.length - 1]);
    if (words !== shared) share(audible[audible.length - 1]);
    shared = words;
  };
  const stops = quadrants.flatMap((quadrant) => [
    subscribe(playerFacts[quadrant], update),
    subscribe(feed.quadrants[quadrant], update),
  ]);
  update();
  return () => {
    for (const stop of stops) stop();
    clearMediaSession();
  };
}

function wordsOf(quadrant: Quadrant | undefined): string {
  return quadrant ? `${quadrant} ${playerFacts[quadrant].isPaused} ${feed.quadrants[quadrant].shown?.filename}` : '';
}

function share(quadrant: Quadrant | undefined): void {
  if (!quadrant) {
    clearMediaSession();
    return;
  }
  const { filename: title = '', posterUrl: artworkUrl = null } = feed.quadrants[quadrant].shown ?? {};
  showInMediaSession({ title, artworkUrl }, !playerFacts[quadrant].isPaused, {
    play: () => setPaused(quadrant, false),
    pause: () => setPaused(quadrant, true),
    nexttrack: () => skip(quadrant),
    previoustrack: () => skipBack(quadrant),
    seekbackward: () => seekBy(quadrant, -1),
    seekforward: () => seekBy(quadrant, 1),
  });
}
