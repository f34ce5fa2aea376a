import { continuesShortRanges } from '#app/platform/capabilities.ts';

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
