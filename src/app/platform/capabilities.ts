/*
 * The only place that detects APIs that are missing in old engines or on plain-http pages.
 * Detection is not cached: tests and privacy settings change the results.
 */

/** Absent on plain-http addresses other than localhost, and on some TVs. */
export function serviceWorkers(): ServiceWorkerContainer | undefined {
  return 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;
}

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

/** A channel between the pages of this site: Chromium 54, Safari 15.4, Firefox 38. */
export function broadcastChannel(name: string): BroadcastChannel | undefined {
  return 'BroadcastChannel' in window ? new BroadcastChannel(name) : undefined;
}

/**
 * Whether a page can open a window and receive messages from it. A home-screen app on iOS opens it
 * in Safari, where it has no opener.
 */
export function opensWindows(): boolean {
  return !(isIos() && (navigator as { standalone?: boolean }).standalone === true);
}

/** The browser's user agent, which changes with an update. */
export function userAgent(): string {
  return navigator.userAgent;
}

/** `requestVideoFrameCallback`: Chromium 83, Safari 15.4, Firefox 132. */
export function hasFrameCallback(video: HTMLVideoElement): boolean {
  return 'requestVideoFrameCallback' in video;
}

interface SmallWindows {
  /** @throws when the browser or a policy of the page refuses */
  requestWindow(size: { width: number; height: number }): Promise<Window>;
}

/** Windows that stay above all others (Document Picture-in-Picture): Chromium 116 on desktops. */
export function smallWindows(): SmallWindows | undefined {
  return (window as { documentPictureInPicture?: SmallWindows }).documentPictureInPicture;
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

/**
 * Whether a page that was left, and may come back by a press of Back, keeps its open transactions
 * of IndexedDB. WebKit leaves them open for as long as it remembers the page.
 */
export function keepsTransactionsWhenLeft(): boolean {
  return isWebKit();
}

/** Apps on Tizen and webOS run in Chromium, and do not name it. */
function isWebKit(): boolean {
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

/** Whether the page is open in a tab of iOS or iPadOS, and could be added to the home screen. */
export function isInIosTab(): boolean {
  return isIos() && (navigator as { standalone?: boolean }).standalone === false;
}

/**
 * Whether a page may set the volume of its elements. Elsewhere the value reads as set and is reset
 * a moment later.
 */
export function canSetVolume(): boolean {
  return !isIos();
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

const shakeMs = 10;

/** A short vibration, where the device has one (no iOS) and motion is not reduced. */
export function shake(): void {
  if (!matches('(prefers-reduced-motion: reduce)')) navigator.vibrate?.(shakeMs);
}

/**
 * Whether the device has little memory, so that idle players that are not visible are suspended.
 * Only Chromium reports it; other engines count as not weak.
 */
export function isWeakDevice(): boolean {
  return ((navigator as ThinDevice).deviceMemory ?? Number.POSITIVE_INFINITY) <= 2;
}

/** Chromium 84, Safari 16.4, Firefox 126; absent on plain-http addresses. */
export function wakeLocks(): WakeLock | undefined {
  return navigator.wakeLock as WakeLock | undefined;
}

/** Chromium 73, Safari 15, Firefox 82; absent in many TV browsers. */
export function mediaSession(): MediaSession | undefined {
  return 'mediaSession' in navigator && 'MediaMetadata' in window ? navigator.mediaSession : undefined;
}

interface TizenInput {
  getSupportedKeys(): Array<{ name: string }>;
  registerKeyBatch(names: string[]): void;
}

/** Key registration of a Tizen TV: present in an app of its store, not in its browser. */
export function tvInput(): TizenInput | undefined {
  return (globalThis as { tizen?: { tvinputdevice?: TizenInput } }).tizen?.tvinputdevice;
}

interface TrustedScriptUrls {
  /** A `TrustedScriptURL` object, typed as the string that it replaces. */
  createScriptURL(url: string): string;
}

interface TrustedTypeFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): TrustedScriptUrls;
}

/** Chromium 83, Safari 26, Firefox 148. */
export function trustedTypes(): TrustedTypeFactory | undefined {
  return (globalThis as { trustedTypes?: TrustedTypeFactory }).trustedTypes;
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
