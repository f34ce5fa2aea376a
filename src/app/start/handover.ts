import type { FirstPicks } from '#contract/entities/feed.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import type { Answer } from '../platform/http/fetch-answer.ts';
import type { SavedFilters } from '../state/saved-filters.ts';
import type { StartGrid } from './page-parts.ts';

/** The request for the first four videos. It carries no token, so its picks depend on no user. */
export interface PicksRequest {
  /**
   * Its `json` is null when the server picks only for known viewers, so each quadrant makes its own
   * call with a token.
   */
  answer: Promise<Answer<FirstPicks | null>>;
  /**
   * The filters of the picks; null for picks made for everybody, before this device's filters were
   * read.
   */
  filters: SavedFilters | null;
  /** Aborts a request that is still open, and frees its connection. */
  abort(): void;
}

/**
 * Elements whose source is set. A quadrant has none when its video is also another's, or not
 * available yet.
 */
export type StartVideos = Partial<Record<Quadrant, HTMLVideoElement>>;

/** The state of the page before the engine runs. */
export interface StartHandover {
  /** Null when each quadrant makes its own call. */
  picks: PicksRequest | null;
  videos: StartVideos;
  /** The grid with the videos; null when the page has not drawn one. */
  grid: StartGrid | null;
  /** The viewer has tapped to play. */
  isTapped: boolean;
}

export const emptyHandover: StartHandover = { picks: null, videos: {}, grid: null, isTapped: false };

declare global {
  interface Window {
    /** Set by `page-script.ts`, which is built apart from the engine. Undefined in development. */
    pageStart?: {
      readonly shown: Promise<unknown>;
      handOver(): StartHandover;
    };
  }
}

export function pageStart(): Window['pageStart'] {
  return window.pageStart;
}

/**
 * Runs once the page has shown what it can by itself, or after `maxMs`: running earlier would block
 * its main thread.
 */
export function afterPageStart(maxMs: number, run: () => void): void {
  const page = pageStart();
  if (!page) {
    run();
    return;
  }
  const limit = new Promise<void>((resolve) => after(maxMs, resolve));
  void Promise.race([page.shown, limit]).then(run);
}

type PointerPlace = Pick<PointerEvent, 'pointerType' | 'clientX'>;

/**
 * The place of a resting mouse or of the last touch, from events before `claimPointer`; null when
 * there is neither.
 */
let pointerPlace: PointerPlace | null = null;

const pointerEvents = ['pointermove', 'pointerout', 'pointerdown'] as const;

/**
 * Follows the pointer until `claimPointer`: a mouse that has come to rest, or a finger that was
 * lifted, fires no event once the menu is rendered.
 */
export function followPointer(): void {
  for (const type of pointerEvents) window.addEventListener(type, recordPointer);
}

export function claimPointer(): PointerPlace | null {
  for (const type of pointerEvents) window.removeEventListener(type, recordPointer);
  const place = pointerPlace;
  pointerPlace = null;
  return place;
}

/**
 * Forgets the mouse when it leaves the page. Browsers also fire events for a mouse that has not
 * moved, when the page loads or elements below it change: these are ignored.
 */
function recordPointer(event: PointerEvent): void {
  const { type, pointerType, buttons, relatedTarget, movementX, movementY } = event;
  if (pointerType !== 'mouse') {
    if (type === 'pointerdown') pointerPlace = event;
  } else if (type === 'pointerout') {
    if (relatedTarget === null) pointerPlace = null;
  } else if (movementX !== 0 || movementY !== 0) {
    pointerPlace = buttons === 0 ? event : null;
  }
}
