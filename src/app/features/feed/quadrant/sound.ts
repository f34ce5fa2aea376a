import { subscribe } from 'valtio/vanilla';
import { clearMediaSession, showInMediaSession } from '#app/platform/media-session.ts';
import { playerFacts, playerOf } from '#app/playback/player/player.ts';
import { may } from '#app/state/may.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed } from '../feed-state.ts';
import { seekBy } from './player-actions.ts';
import { setPaused, skip, skipBack } from './quadrant-machine.ts';

/** Unmutes this quadrant and mutes the other three. */
export function hearOnly(quadrant: Quadrant): void {
  if (!may('video_controls')) return;
  for (const other of quadrants) if (other !== quadrant) playerOf(other).setMuted(true);
  playerOf(quadrant).setMuted(false);
}

/** The quadrants that the last `toggleMuteAll` muted. */
let silenced: readonly Quadrant[] = [];

/** Mutes all quadrants; when all are muted, unmutes those that it muted before. */
export function toggleMuteAll(): void {
  if (!may('video_controls')) return;
  const sounding = quadrants.filter((quadrant) => !playerFacts[quadrant].isMuted);
  for (const quadrant of sounding) playerOf(quadrant).setMuted(true);
  if (sounding.length === 0) for (const quadrant of silenced) playerOf(quadrant).setMuted(false);
  silenced = sounding;
}

/**
 * Connects lock screen, headset and media keys to the audible quadrant: of several, the one unmuted
 * last. Returns a function that stops it.
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
  const stops = [subscribe(playerFacts, update), subscribe(feed.quadrants, update)];
  update();
  return () => {
    for (const stop of stops) stop();
    clearMediaSession();
  };
}

function wordsOf(quadrant: Quadrant | undefined): string {
  return quadrant ? `${quadrant} ${playerFacts[quadrant].isPaused} ${feed.quadrants[quadrant].shown?.title}` : '';
}

function share(quadrant: Quadrant | undefined): void {
  if (!quadrant) {
    clearMediaSession();
    return;
  }
  const { title = '', posterUrl: artworkUrl = null } = feed.quadrants[quadrant].shown ?? {};
  showInMediaSession({ title, artworkUrl }, !playerFacts[quadrant].isPaused, {
    play: () => setPaused(quadrant, false),
    pause: () => setPaused(quadrant, true),
    nexttrack: () => skip(quadrant),
    previoustrack: () => skipBack(quadrant),
    seekbackward: () => seekBy(quadrant, -1),
    seekforward: () => seekBy(quadrant, 1),
  });
}
