import type { FirstPicks } from '#contract/entities/feed.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { Answer } from '../platform/http/fetch-answer.ts';
import { after } from '../platform/timers.ts';
import type { SavedFilters } from '../state/saved-filters.ts';
import type { StartGrid } from './page-parts.ts';

/** The draw of the four first videos. Without a token: everybody is given such a draw. */
export interface PicksRequest {
  /** Null in its `json`: the server draws for a known viewer only, so each quadrant asks with its token. */
  answer: Promise<Answer<FirstPicks | null>>;
  /** What it was drawn under; null: for everybody, before the filters of this device were read. */
  filters: SavedFilters | null;
  /** Ends a request that is still open, and frees its connection. */
  abort(): void;
}

/** Elements whose source is set. A quadrant lacks one where its video is another's too, or not available yet. */
export type StartVideos = Partial<Record<Quadrant, HTMLVideoElement>>;

/** What the page did before the engine ran. */
export interface StartHandover {
  /** Null: each quadrant asks by itself. */
  picks: PicksRequest | null;
  videos: StartVideos;
  /** Where the videos stand; null where the page has drawn none. */
  grid: StartGrid | null;
  /** The viewer has asked for them to play. */
  isTapped: boolean;
}

export const emptyHandover: StartHandover = { picks: null, videos: {}, grid: null, isTapped: false };

declare global {
  interface Window {
    /** Set by `page-script.ts`, which is built apart from the engine. Absent while developing. */
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
 * Runs once the page has shown what it can by itself, or after `maxMs`: anything else would take the main thread from
 * it.
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

/** The x of the mouse in the page, as it moved before anybody claimed it; null: it is not there. */
let pointerX: number | null = null;

/** Follows the mouse until `claimPointer`: one that comes to rest raises no event once the views are there. */
export function followPointer(): void {
  window.addEventListener('pointermove', recordPointer);
  window.addEventListener('pointerout', recordPointer);
}

export function claimPointer(): number | null {
  window.removeEventListener('pointermove', recordPointer);
  window.removeEventListener('pointerout', recordPointer);
  const x = pointerX;
  pointerX = null;
  return x;
}

/**
 * Forgets the mouse where it leaves the page. A browser also reports a mouse that lies where it lay before the page
 * came, and elements that come and go below it: nobody points at anything with these.
 */
function recordPointer(event: PointerEvent): void {
  if (event.type === 'pointerout') {
    if (event.relatedTarget === null) pointerX = null;
  } else if (event.movementX !== 0 || event.movementY !== 0) {
    pointerX = event.pointerType === 'mouse' && event.buttons === 0 ? event.clientX : null;
  }
}
