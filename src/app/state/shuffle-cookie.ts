import type { Shuffle } from '#contract/rules/settings.ts';
import { shuffleCookie } from '#contract/rules/settings.ts';

const cookieSeconds = 365 * 24 * 60 * 60;

/** Tells the server how it draws for this browser while nobody is signed in. */
export function announceShuffle(shuffle: Shuffle): void {
  const seconds = shuffle === 'random' ? cookieSeconds : 0;
  // biome-ignore lint/suspicious/noDocumentCookie: Chromium 68, and every page without https, has no other way.
  document.cookie = `${shuffleCookie}=${shuffle};path=/;max-age=${seconds};samesite=lax`;
}
