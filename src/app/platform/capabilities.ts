/*
 * Every API that an old engine or a plain-http address lacks is asked for here and nowhere else.
 * Asked when needed, not once: tests and privacy settings change the answers.
 */

/** Absent on plain-http addresses other than localhost, and on some TVs. */
export function serviceWorkers(): ServiceWorkerContainer | undefined {
  return 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;
}

/** Absent on plain-http addresses; Safari has it from 15.4, Firefox from 96. */
export function locks(): LockManager | undefined {
  return navigator.locks;
}

/** Storage of this site, or undefined where reading the very property throws (blocked cookies). */
export function localStore(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

/** `requestVideoFrameCallback`: Chromium 83, Safari 15.4, Firefox 132. */
export function hasFrameCallback(video: HTMLVideoElement): boolean {
  return 'requestVideoFrameCallback' in video;
}

/** Whether the device answers yes to a media query, as `(hover: hover)`. */
export function matches(query: string): boolean {
  return window.matchMedia(query).matches;
}

export function prefersReducedMotion(): boolean {
  return matches('(prefers-reduced-motion: reduce)');
}

/**
 * Whether a media element that is answered with fewer bytes than it asked for goes on by itself. Chromium and Firefox do;
 * WebKit, which is also every browser on iOS, wants exactly what it asked for.
 */
export function continuesShortRanges(): boolean {
  return /(Chrome|Firefox)\//.test(navigator.userAgent);
}
