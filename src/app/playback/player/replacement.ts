import type { Priority } from '../budget/media-budget.ts';

/**
 * Waits until what is ready on the back layer has the frame that the front shows, and says whether they have met.
 * Returns what ends it.
 */
export type Meet = (front: HTMLVideoElement, back: HTMLVideoElement, end: (haveMet: boolean) => void) => () => void;

/** How another encoding of the video on screen takes its place. */
export interface Replacement {
  /** Second at which it comes in. */
  at: number;
  /** When; at once unless said. */
  meet?: Meet;
  /** Above that of a quadrant it may use the decoder of another one for a moment. */
  priority?: Priority;
  shown?(): void;
}

export const meetAtOnce: Meet = (_front, _back, end) => {
  end(true);
  return () => {};
};
