import type { RangeLine } from '../form/range-place.ts';
import { centreOf } from '../form/range-place.ts';
import type { Sheet } from './tiles.ts';
import { fitTile } from './tiles.ts';

/** What a still above a slider has room in, in CSS pixels. */
export interface Room {
  line: RangeLine;
  /** Height of the words between the line and the still. */
  words: number;
  /** From the words up to the edge that nothing may cross. */
  above: number;
}

/** CSS pixels; `left` from the start of the line. */
export interface PlacedStill {
  left: number;
  width: number;
  height: number;
  /** There is no room above the words: it covers them. */
  isOverWords: boolean;
}

/** A still is as wide as on its sheet, wider on a long line, and not much larger than it is sharp. */
const shareOfLine = 0.3;
const maxScale = 2;
/** A still that is lower tells nothing. */
const minHeightPx = 56;
/** Above the still, and below it. */
const gapPx = 8;

/**
 * Where the still of a second stands: over its place on the line, and all of it within the line's ends and its room.
 * @param share of the video: 0 to 1
 */
export function placeStill(sheet: Sheet, { line, words, above }: Room, share: number): PlacedStill {
  const free = above - 2 * gapPx;
  const isOverWords = free < minHeightPx;
  const longest = Math.min(sheet.tile_width * maxScale, Math.max(sheet.tile_width, line.width * shareOfLine));
  const { width, height } = fitTile(sheet, {
    width: Math.min(longest, line.width),
    height: Math.min(longest, isOverWords ? free + words : free),
  });
  const left = Math.max(0, Math.min(line.width - width, centreOf(line, share) - width / 2));
  return { left: Math.round(left), width, height, isOverWords };
}
