import { listen } from './listen.ts';
import type { PlayerFacts } from './player-facts.ts';
import { isStarved } from './video-element.ts';

/** After a seek WebKit may say that it is out of data, and play on without another word. */
const playsOnAfterSeconds = 0.5;

/** What one element reports while it is the front. */
export function reportFacts(video: HTMLVideoElement, changed: (facts: Partial<PlayerFacts>) => void): void {
  let waitsAt = Number.POSITIVE_INFINITY;
  const wait = () => {
    waitsAt = video.currentTime;
  };
  const goOn = (facts: Partial<PlayerFacts>) => {
    waitsAt = Number.POSITIVE_INFINITY;
    changed({ ...facts, isWaiting: false });
  };
  listen(video, {
    playing: () => goOn({ isPaused: false, isBlocked: false }),
    pause: () => goOn({ isPaused: true }),
    waiting: () => {
      wait();
      changed({ isWaiting: true });
    },
    seeking: () => waitsAt < Number.POSITIVE_INFINITY && wait(),
    timeupdate: () => video.currentTime - waitsAt > playsOnAfterSeconds && goOn({}),
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
