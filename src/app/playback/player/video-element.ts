import { continuesShortRanges } from '#app/platform/capabilities.ts';

/** Creates one of a player's two `<video>` elements: muted, inline, without native controls. */
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
 * Frees decoder and connection. Removing `src` alone frees nothing, and an empty `src` is an error:
 * `load()` frees them.
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

/** Whether the video is a saved one. */
export function isOnDevice(url: string): boolean {
  return url.startsWith('blob:');
}

/**
 * Sets an element's source. Bytes on this device come so fast that an engine reads tens of megabytes
 * before it draws, and four videos that start together wait for each other. Such an element reads
 * on once it has its first frame, or once the engine waits without one, as some do until they play.
 */
export function setSource(video: HTMLVideoElement, url: string): void {
  video.preload = isOnDevice(url) ? 'metadata' : 'auto';
  const readOn = () => {
    stopListening();
    video.preload = 'auto';
  };
  const stopListening = isOnDevice(url) ? listenTo(video, { loadeddata: readOn, suspend: readOn }) : () => {};
  pointTo(video, url, addressOf(url));
}

/**
 * Sets the address of an element. What another host sends is asked for as `fetch` does, so that the
 * browser's cache holds one answer for both.
 */
export function pointTo(video: HTMLVideoElement, url: string, address: string): void {
  video.crossOrigin = isOfOtherHost(url) ? 'anonymous' : null;
  video.src = address;
}

/** Whether a store or a network of its own delivers the bytes: it knows nothing of pieces. */
export function isOfOtherHost(url: string): boolean {
  return url.startsWith('http');
}

/** Whether a store sends the bytes itself: the address is presigned. */
export function isFromStore(url: string): boolean {
  return url.includes('X-Amz-');
}

/** Whether a response may hold one of the browser's connections for the whole video. */
export function holdsConnection(url: string): boolean {
  return isOfOtherHost(url) || !continuesShortRanges();
}

/** Device pixels of the element itself; null before layout. */
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

/** Whether all of the video from the current time on is there. */
export function hasRest(video: HTMLVideoElement): boolean {
  return video.currentTime + bufferedAhead(video) + endToleranceSeconds >= video.duration;
}

/** Tracks of a video end at slightly different times. */
const endToleranceSeconds = 0.5;

/** Data from which any decoder gives a frame. */
const enoughSeconds = 1;

/**
 * Whether nothing but a decoder can be missing for the frame at the current time: its data is there,
 * or an element that plays asks for no more.
 */
export function hasData(video: HTMLVideoElement): boolean {
  const { readyState, networkState, paused, seeking } = video;
  if (readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && !seeking) return true;
  const asksForMore = networkState !== HTMLMediaElement.NETWORK_IDLE;
  const isThere = !asksForMore || bufferedAhead(video) >= enoughSeconds;
  return !paused && readyState >= HTMLMediaElement.HAVE_METADATA && isThere;
}

/** Playing, but out of data. */
export function isStarved(video: HTMLVideoElement): boolean {
  return !video.paused && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
}

/**
 * §5: seeking is ignored while the duration is unknown. A target outside the video is clamped to
 * it.
 * Returns whether it seeks.
 */
export function seekWithin(video: HTMLVideoElement, seconds: number): boolean {
  const { duration } = video;
  if (!Number.isFinite(duration)) return false;
  video.currentTime = Math.min(duration, Math.max(0, seconds));
  return true;
}

type Handlers = { readonly [Name in keyof HTMLVideoElementEventMap]?: () => void };

/** Listens for several events of one element. Returns a function that stops listening. */
export function listenTo(layer: HTMLVideoElement, handlers: Handlers): () => void {
  const entries = Object.entries(handlers);
  for (const [name, handle] of entries) layer.addEventListener(name, handle);
  return () => {
    for (const [name, handle] of entries) layer.removeEventListener(name, handle);
  };
}

/**
 * Bytes of one response. An open-ended response would occupy one of the browser's six connections
 * for the whole video; 2 MiB are about ten seconds of a quadrant's rendition.
 */
const pieceBytes = 2 * 1024 * 1024;

/**
 * The URL of a stream, split into pieces where the engine continues by itself after a short
 * response. Bytes on this device have no pieces, and a foreign signature covers the whole URL.
 */
export function addressOf(url: string): string {
  if (isOnDevice(url) || holdsConnection(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}piece=${pieceBytes}`;
}
