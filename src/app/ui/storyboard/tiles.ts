import type { Storyboard } from '#contract/entities/video.ts';

/** A sheet of stills, read left to right, top to bottom. */
export type Sheet = Readonly<Storyboard>;

interface Size {
  width: number;
  height: number;
}

/** Lengths are rounded, and the last still stands for a stretch that the video need not fill. */
const roundingShare = 0.01;

/**
 * How many stills there are: a sheet may have places that its video has no picture for.
 * @param durationSeconds null: not known
 */
export function countTiles({ columns, rows, interval_seconds }: Sheet, durationSeconds: number | null): number {
  const places = columns * rows;
  if (durationSeconds === null) return places;
  return Math.max(1, Math.min(places, Math.floor(durationSeconds / interval_seconds + roundingShare)));
}

/** The place of the still for a second of the video; beyond the ends the first or last one. */
export function tileAt(sheet: Sheet, seconds: number, durationSeconds: number | null): number {
  const tile = Math.floor(seconds / sheet.interval_seconds);
  return Math.max(0, Math.min(tile, countTiles(sheet, durationSeconds) - 1));
}

/** Has the background of a box of any size show one still. */
export function placeTile({ columns, rows }: Sheet, tile: number): { size: string; position: string } {
  const column = tile % columns;
  const row = Math.floor(tile / columns);
  return {
    size: `${columns * 100}% ${rows * 100}%`,
    position: `${percentOf(column, columns)} ${percentOf(row, rows)}`,
  };
}

/** The largest size in whole pixels at which a still fits into `room`. */
export function fitTile({ tile_width, tile_height }: Sheet, room: Size): Size {
  const scale = Math.min(room.width / tile_width, room.height / tile_height);
  return {
    width: Math.max(1, Math.floor(tile_width * scale)),
    height: Math.max(1, Math.floor(tile_height * scale)),
  };
}

/**
 * Where a still covers a box, as its poster does: in percent of the box, over the edges of which it may reach.
 * @param aspect of the box: its width by its height
 */
export function coverBox({ tile_width, tile_height }: Sheet, aspect: number): Size & { left: number; top: number } {
  const ratio = tile_width / tile_height / aspect;
  const width = Math.max(100, 100 * ratio);
  const height = Math.max(100, 100 / ratio);
  return { left: (100 - width) / 2, top: (100 - height) / 2, width, height };
}

/** 0 % is the first place, 100 % the last. */
function percentOf(place: number, places: number): string {
  return `${places === 1 ? 0 : (place / (places - 1)) * 100}%`;
}
