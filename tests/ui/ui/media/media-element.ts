import { vi } from 'vitest';
import { settle } from '../../draw.tsx';

/**
 * happy-dom has no media: this gives its elements what a browser does by itself when they are played, paused and
 * loaded.
 */
export function giveMedia(): void {
  Object.assign(HTMLMediaElement, { HAVE_CURRENT_DATA: 2, HAVE_FUTURE_DATA: 3 });
  const emit = (element: EventTarget, name: string) => void element.dispatchEvent(new Event(name));
  const set = (element: HTMLMediaElement, facts: object) => {
    for (const [name, value] of Object.entries(facts))
      Object.defineProperty(element, name, { value, writable: true, configurable: true });
  };
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(async function (this: HTMLMediaElement) {
    set(this, { paused: false });
    emit(this, 'play');
  });
  vi.spyOn(HTMLMediaElement.prototype, 'pause').mockImplementation(function (this: HTMLMediaElement) {
    set(this, { paused: true });
    emit(this, 'pause');
  });
  vi.spyOn(HTMLMediaElement.prototype, 'load').mockImplementation(function (this: HTMLMediaElement) {
    set(this, { paused: true, ended: false, readyState: 0, duration: Number.NaN, error: null, currentTime: 0 });
    emit(this, 'emptied');
  });
}

/** What the network and the decoder bring. */
export const report = (video: HTMLVideoElement, facts: object, ...events: string[]) =>
  settle(() => {
    for (const [name, value] of Object.entries(facts))
      Object.defineProperty(video, name, { value, writable: true, configurable: true });
    for (const name of events) video.dispatchEvent(new Event(name));
  });
