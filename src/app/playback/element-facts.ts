import { listen } from './listen.ts';
import type { PlayerFacts } from './player-facts.ts';
import { isStarved } from './video-element.ts';

/** What one element reports while it is the front. */
export function reportFacts(video: HTMLVideoElement, changed: (facts: Partial<PlayerFacts>) => void): void {
  listen(video, {
    playing: () => changed({ isPaused: false, isWaiting: false, isBlocked: false }),
    pause: () => changed({ isPaused: true, isWaiting: false }),
    waiting: () => changed({ isWaiting: true }),
    volumechange: () => changed(soundOf(video)),
    durationchange: () => changed(lengthOf(video)),
  });
}

/** All that an element says of itself when it becomes the front. */
export function factsOf(video: HTMLVideoElement): Partial<PlayerFacts> {
  return { isPaused: video.paused, isWaiting: isStarved(video), ...soundOf(video), ...lengthOf(video) };
}

function soundOf({ muted, volume }: HTMLVideoElement): Pick<PlayerFacts, 'isMuted' | 'volume'> {
  return { isMuted: muted, volume };
}

function lengthOf({ duration }: HTMLVideoElement): Pick<PlayerFacts, 'durationSeconds'> {
  return { durationSeconds: Number.isFinite(duration) ? duration : null };
}
