import type { CSSProperties } from 'react';
import { useEffect, useState } from 'react';
import type { Storyboard } from '#contract/entities/video.ts';
import type { RangeLine } from '../form/range.tsx';
import { centreOf } from '../form/range.tsx';

interface Props {
  sheet: StoryboardSheet;
  tile: number;
  className?: string | undefined;
  style?: CSSProperties;
}

/** One still of a loaded sheet. Screen readers get the time instead. */
export function Still({ sheet, tile, className, style }: Props) {
  const { size, position } = placeTile(sheet, tile);
  const picture: CSSProperties = {
    backgroundImage: `url(${JSON.stringify(sheet.url)})`,
    backgroundSize: size,
    backgroundPosition: position,
  };
  return <div className={className} style={{ ...style, ...picture }} aria-hidden="true" />;
}

/** Whether a sheet of stills is loaded. It is requested when it is first wanted. */
export function useSheet(url: string, isWanted: boolean): boolean {
  const [loaded, setLoaded] = useState<string | null>(null);
  const isLoaded = loaded === url;
  const isMissing = isWanted && !isLoaded;
  useEffect(() => {
    if (!isMissing) return;
    const image = new Image();
    image.onload = () => setLoaded(url);
    image.src = url;
    return () => {
      image.onload = null;
    };
  }, [url, isMissing]);
  return isLoaded;
}

/** A sheet of stills, in reading order. */
export type StoryboardSheet = Readonly<Storyboard>;

interface Size {
  width: number;
  height: number;
}

/** Durations are rounded, and the video may end within the interval of the last still. */
const roundingShare = 0.01;

/**
 * The number of stills: a sheet may have empty cells at its end.
 * @param durationSeconds null when unknown
 */
export function countTiles(
  { columns, rows, interval_seconds }: StoryboardSheet,
  durationSeconds: number | null,
): number {
  const places = columns * rows;
  if (durationSeconds === null) return places;
  return Math.max(1, Math.min(places, Math.floor(durationSeconds / interval_seconds + roundingShare)));
}

/** The index of the still for a position of the video; beyond the ends the first or last one. */
export function tileAt(sheet: StoryboardSheet, seconds: number, durationSeconds: number | null): number {
  const tile = Math.floor(seconds / sheet.interval_seconds);
  return Math.max(0, Math.min(tile, countTiles(sheet, durationSeconds) - 1));
}

/** Background styles that show one still in a box of any size. */
export function placeTile({ columns, rows }: StoryboardSheet, tile: number): { size: string; position: string } {
  const column = tile % columns;
  const row = Math.floor(tile / columns);
  return {
    size: `${columns * 100}% ${rows * 100}%`,
    position: `${percentOf(column, columns)} ${percentOf(row, rows)}`,
  };
}

/** The largest size in whole pixels at which a still fits into `room`. */
export function fitTile({ tile_width, tile_height }: StoryboardSheet, room: Size): Size {
  const scale = Math.min(room.width / tile_width, room.height / tile_height);
  return {
    width: Math.max(1, Math.floor(tile_width * scale)),
    height: Math.max(1, Math.floor(tile_height * scale)),
  };
}

/**
 * Position and size at which a still covers a box, as its poster does, in percent of the box; it
 * may extend beyond the edges.
 * @param aspect width of the box divided by its height
 */
export function coverBox(
  { tile_width, tile_height }: StoryboardSheet,
  aspect: number,
): Size & { left: number; top: number } {
  const ratio = tile_width / tile_height / aspect;
  const width = Math.max(100, 100 * ratio);
  const height = Math.max(100, 100 / ratio);
  return { left: (100 - width) / 2, top: (100 - height) / 2, width, height };
}

/** 0 % is the first cell, 100 % the last. */
function percentOf(place: number, places: number): string {
  return `${places === 1 ? 0 : (place / (places - 1)) * 100}%`;
}

/** The room for a still above a slider, in CSS pixels. */
export interface StillRoom {
  line: RangeLine;
  /** Height of the words between the line and the still. */
  words: number;
  /** Distance from the words to the edge that the still must not cross. */
  above: number;
}

/** CSS pixels; `left` is relative to the start of the line. */
export interface PlacedStill {
  left: number;
  width: number;
  height: number;
  /** The still covers the words, because there is no room above them. */
  isOverWords: boolean;
}

/**
 * A still is as wide as on its sheet, or wider on a long line, up to a size at which it is still
 * sharp enough.
 */
const shareOfLine = 0.3;
const maxScale = 2;
/** A still lower than this shows too little. */
const minHeightPx = 56;
/** Margin above and below the still. */
const gapPx = 8;

/**
 * Places a still: centred over its position on the line, within the line's ends and the room.
 * @param share position in the video, from 0 to 1
 */
export function placeStill(sheet: StoryboardSheet, { line, words, above }: StillRoom, share: number): PlacedStill {
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
