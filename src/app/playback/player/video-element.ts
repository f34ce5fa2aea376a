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
