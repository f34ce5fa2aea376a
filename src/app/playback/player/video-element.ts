import { continuesShortRanges } from '#app/platform/capabilities.ts';

/** One of a player's two `<video>` elements: silent, inline, without controls of its own. */
export function createVideo(): HTMLVideoElement {
  const video = document.createElement('video');
  video.muted = true;
  video.defaultMuted = true;
  video.playsInline = true;
  video.setAttribute('playsinline', '');
  video.disableRemotePlayback = true;
  video.preload = 'auto';
  return video;
}

/**
 * Gives decoder and connection back. Removing the source alone frees nothing, and an empty one is an error: `load()`
 * lets go.
 */
export function releaseVideo(video: HTMLVideoElement): void {
  if (!hasSource(video)) return;
  video.pause();
  video.removeAttribute('src');
  video.load();
}

function hasSource(video: HTMLVideoElement): boolean {
  return video.hasAttribute('src');
}

/** Device pixels of the element itself; null before it is laid out. */
export function sizeOf({ clientWidth, clientHeight }: HTMLVideoElement): { width: number; height: number } | null {
  const { devicePixelRatio: ratio } = window;
  return clientWidth > 0 ? { width: Math.ceil(clientWidth * ratio), height: Math.ceil(clientHeight * ratio) } : null;
}

/** Seconds of media ready to play beyond the current time. §9 alerts below 2 s. */
export function bufferedAhead(video: HTMLVideoElement): number {
  const { buffered, currentTime } = video;
  for (let range = 0; range < buffered.length; range += 1) {
    if (buffered.start(range) <= currentTime && currentTime < buffered.end(range))
      return buffered.end(range) - currentTime;
  }
  return 0;
}

/** Playing, and out of data. */
export function isStarved(video: HTMLVideoElement): boolean {
  return !video.paused && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
}

/**
 * §5: seeking is ignored while the duration is unknown. Beyond the ends it goes to the end. Returns whether it seeks.
 */
export function seekWithin(video: HTMLVideoElement, seconds: number): boolean {
  const { duration } = video;
  if (!Number.isFinite(duration)) return false;
  video.currentTime = Math.min(duration, Math.max(0, seconds));
  return true;
}

type Handlers = { readonly [Name in keyof HTMLVideoElementEventMap]?: () => void };

/** Listens for several events of one element. Returns what stops it. */
export function listen(layer: HTMLVideoElement, handlers: Handlers): () => void {
  const entries = Object.entries(handlers);
  for (const [name, handle] of entries) layer.addEventListener(name, handle);
  return () => {
    for (const [name, handle] of entries) layer.removeEventListener(name, handle);
  };
}

/**
 * Bytes of one answer. An open-ended answer would hold one of the browser's six connections for as long as its video
 * lasts; 2 MiB are some ten seconds of a quadrant's rendition. The first answers carry a quarter of it: the header and
 * three seconds, so that first frames wait for no more, and the next is asked well in time.
 */
const pieceBytes = 2 * 1024 * 1024;

/** A stream's address, answered in pieces where the engine goes on by itself after a short answer. */
export function addressOf(url: string): string {
  if (!continuesShortRanges()) return url;
  return `${url}${url.includes('?') ? '&' : '?'}piece=${pieceBytes}`;
}
