/* What runs in the page is written in the syntax of the oldest engine: no optional chaining, no `??`. */

/** What was seen on a device with few decoders. */
interface Watched {
  /** The most elements that had a source at the same time, once the device is known. */
  mostOpen: number;
  /** How often each quadrant has shown another video move. */
  moved: Record<string, string[]>;
  /** Sentences about errors that have stood anywhere. */
  errors: string[];
}

declare global {
  interface Window {
    watched: Watched;
    /** How many elements the device shows. */
    decoders: number;
  }
}

/** What an element without a decoder does. */
export const ways = ['error', 'standing time', 'standing frames', 'metadata alone'] as const;
type Way = (typeof ways)[number];

/** Runs in the page before its own scripts, in the syntax of the oldest engine: further elements have no decoder. */
export function limitDecoders({ decoders, way }: { decoders: number; way: Way }): void {
  window.decoders = decoders;
  const holders = new Set<HTMLMediaElement>();
  const source = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'src');
  const noVideo = URL.createObjectURL(new Blob(['no decoder is free'], { type: 'video/mp4' }));
  const { removeAttribute } = Element.prototype;
  const holds = (video: HTMLMediaElement) => {
    for (const holder of holders) if (!holder.hasAttribute('src')) holders.delete(holder);
    if (!holders.has(video) && holders.size < window.decoders) holders.add(video);
    return holders.has(video);
  };
  Object.defineProperty(HTMLMediaElement.prototype, 'src', {
    ...source,
    set(this: HTMLMediaElement, url: string) {
      holders.delete(this);
      const set = (source as PropertyDescriptor).set as (url: string) => void;
      set.call(this, holds(this) || way !== 'error' ? url : noVideo);
    },
  });
  Element.prototype.removeAttribute = function (name) {
    if (name === 'src') holders.delete(this as HTMLMediaElement);
    removeAttribute.call(this, name);
  };
  const video = HTMLVideoElement.prototype;
  const { play, requestVideoFrameCallback, getVideoPlaybackQuality } = video;
  if (way === 'standing time' || way === 'metadata alone')
    video.play = function () {
      if (holds(this)) return play.call(this);
      // It says that it plays.
      Object.defineProperty(this, 'paused', { configurable: true, get: () => !this.hasAttribute('src') });
      const goOn = setInterval(() => {
        if (this.hasAttribute('src') && !holds(this)) return;
        clearInterval(goOn);
        delete (this as { paused?: boolean }).paused;
        if (this.hasAttribute('src')) void play.call(this).catch(() => {});
      }, 100);
      return new Promise(() => {});
    };
  if (way === 'standing frames' || way === 'metadata alone') {
    video.requestVideoFrameCallback = function (run) {
      return requestVideoFrameCallback.call(this, (...told) => holds(this) && run(...told));
    };
    video.getVideoPlaybackQuality = function () {
      const quality = getVideoPlaybackQuality.call(this);
      return holds(this) ? quality : { ...quality, totalVideoFrames: 0, droppedVideoFrames: 0 };
    };
  }
  window.watched = { mostOpen: 0, moved: {}, errors: [] };
  const { watched } = window;
  document.addEventListener(
    'timeupdate',
    ({ target }) => {
      const video = target as HTMLVideoElement;
      const section = video.closest<HTMLElement>('section[data-quadrant]');
      if (section === null || video.dataset.layer !== 'front' || video.currentTime === 0) return;
      const quadrant = String(section.dataset.quadrant);
      const { [quadrant]: moved = [] } = watched.moved;
      if (moved[moved.length - 1] !== video.currentSrc) watched.moved[quadrant] = [...moved, video.currentSrc];
      const isKnown = localStorage.getItem('fourfold.decoders') !== null;
      const open = [...document.querySelectorAll('video')].filter((one) => one.hasAttribute('src')).length;
      if (isKnown) watched.mostOpen = Math.max(watched.mostOpen, open);
    },
    true,
  );
  new MutationObserver(() => {
    if (document.body && String(document.body.textContent).includes('Video error')) watched.errors.push('Video error');
  }).observe(document, { subtree: true, childList: true, characterData: true });
}
