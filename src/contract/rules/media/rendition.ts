import { limits } from '#contract/limits.ts';

/** The encodings of a video: for a quarter of the screen, for the whole of it, and the file as it came. */
export const renditions = ['grid', 'hd', 'source'] as const;

export type Rendition = (typeof renditions)[number];

export interface Encoding {
  name: Rendition;
  /** Picture lines; null when the container does not say. */
  height: number | null;
}

/** The most lines a viewer may get (§6 HD): no limit with `hd_streaming`. */
export function linesAllowed(features: { hd_streaming: boolean }): number {
  return features.hd_streaming ? Number.POSITIVE_INFINITY : limits.gridRenditionLines;
}

/** Whether the caller may have it: a source without a grid rendition is played as it is, whatever its size. */
export function mayHave(encoding: Encoding, available: readonly Encoding[], lines: number): boolean {
  if (encoding.name === 'grid') return true;
  if (encoding.height !== null && encoding.height <= lines) return true;
  if (lines === Number.POSITIVE_INFINITY) return true;
  return encoding.name === 'source' && available.every((other) => other.name !== 'grid');
}

/**
 * What the stream call gives without a `rendition`: the most lines among those the caller may have; equal heights go to
 * the source.
 */
export function bestAllowed<E extends Encoding>(available: readonly E[], lines: number): E | null {
  const allowed = available.filter((encoding) => mayHave(encoding, available, lines));
  return allowed.reduce<E | null>(
    (best, encoding) => (best === null || isTaller(encoding, best) ? encoding : best),
    null,
  );
}

function isTaller(encoding: Encoding, best: Encoding): boolean {
  if (heightOf(encoding) !== heightOf(best)) return heightOf(encoding) > heightOf(best);
  return encoding.name === 'source';
}

/** An unknown height counts as the tallest, so that a limit never lets it through by accident. */
function heightOf(encoding: Encoding): number {
  return encoding.height ?? Number.POSITIVE_INFINITY;
}
