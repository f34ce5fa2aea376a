/*
 * APIs that are missing in old engines or on plain-http pages are detected here, and in
 * `later-capabilities.ts`. Detection is not cached: tests and privacy settings change the results.
 */

/** Absent on plain-http addresses; Safari has it from 15.4, Firefox from 96. */
export function locks(): LockManager | undefined {
  return navigator.locks;
}

/** The site's storage; undefined when reading the property throws (blocked cookies). */
export function localStore(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

/** The tab's own storage; undefined when reading the property throws. */
export function sessionStore(): Storage | undefined {
  try {
    return window.sessionStorage;
  } catch {
    return undefined;
  }
}

/** The browser's user agent, which changes with an update. */
export function userAgent(): string {
  return navigator.userAgent;
}

/** `requestVideoFrameCallback`: Chromium 83, Safari 15.4, Firefox 132. */
export function hasFrameCallback(video: HTMLVideoElement): boolean {
  return 'requestVideoFrameCallback' in video;
}

/**
 * Whether a request with JSON may have `keepalive`: Chromium 66 to 80 fails it. They lack
 * `color-scheme`, which came with 81, too.
 */
export function keepsJsonAlive(): boolean {
  return typeof CSS === 'undefined' || CSS.supports('color-scheme', 'dark');
}

/** Whether a media query matches, as `(hover: hover)`. */
export function matches(query: string): boolean {
  return window.matchMedia(query).matches;
}

/**
 * Whether a media element continues by itself after an answer with fewer bytes than requested.
 * Chromium and Firefox do; WebKit, and so every browser on iOS, does not.
 */
export function continuesShortRanges(): boolean {
  return !isWebKit();
}

/**
 * Whether an element that has not played yet paints its first frame. WebKit reports the frame as
 * presented, and paints nothing.
 */
export function drawsBeforePlaying(): boolean {
  return !isWebKit();
}

/** Apps on Tizen and webOS run in Chromium, and do not name it. */
export function isWebKit(): boolean {
  return !/(Chrome|Firefox)\/|Tizen|Web0S/.test(navigator.userAgent);
}

/**
 * Every browser on iOS and iPadOS (which reports a Mac): only one element may have sound, and only
 * the hardware buttons set the volume.
 */
export function isIos(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
}

/**
 * How many parallel connections to one origin the browser opens: six over HTTP/1.1; HTTP/2 and 3
 * multiplex one.
 */
export function connectionsPerOrigin(): number {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return /^h[23]/.test(navigation?.nextHopProtocol ?? '') ? 32 : 6;
}

interface ThinDevice {
  /** GiB, rounded down to 0.25, 0.5, 1, 2, 4 or 8; only Chromium reports it. */
  readonly deviceMemory?: number;
  readonly connection?: { readonly saveData?: boolean };
}

/** Whether the viewer has turned on data saving; only Chromium reports it. */
export function savesData(): boolean {
  return (navigator as ThinDevice).connection?.saveData === true;
}

export function hasTouch(): boolean {
  return navigator.maxTouchPoints > 0;
}

/**
 * Whether the device has little memory, so that idle players that are not visible are suspended.
 * Only Chromium reports it; other engines count as not weak.
 */
export function isWeakDevice(): boolean {
  return ((navigator as ThinDevice).deviceMemory ?? Number.POSITIVE_INFINITY) <= 2;
}

interface OldFrameCounts {
  readonly webkitDecodedFrameCount?: number;
  readonly webkitDroppedFrameCount?: number;
}

/**
 * The frames of an element's current source, and how many of them were dropped. Old Chromium has
 * other names for them; null when neither exists.
 */
export function framesOf(video: HTMLVideoElement): { total: number; dropped: number } | null {
  if ('getVideoPlaybackQuality' in video) {
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
    return { total: totalVideoFrames, dropped: droppedVideoFrames };
  }
  const { webkitDecodedFrameCount: total, webkitDroppedFrameCount: dropped = 0 } = video as OldFrameCounts;
  return total === undefined ? null : { total, dropped };
}
