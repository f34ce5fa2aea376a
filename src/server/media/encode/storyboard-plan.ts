import { limits } from '#contract/limits.ts';
import type { Sides } from '../tracks.ts';

/** A sheet of stills, read left to right, top to bottom; the last ones of its last row may be black. */
export interface StoryboardPlan {
  tiles: number;
  columns: number;
  rows: number;
  tileWidth: number;
  tileHeight: number;
  intervalMs: number;
}

const columnsMax = 10;

/** Null without a known duration: nobody could tell how many stills there will be. */
export function planStoryboard({ width, height }: Sides, durationMs: number | null): StoryboardPlan | null {
  if (durationMs === null || durationMs <= 0) return null;
  const intervalMs = Math.max(limits.storyboardMinSeconds * 1000, Math.ceil(durationMs / limits.storyboardTiles));
  const tiles = Math.ceil(durationMs / intervalMs);
  const columns = Math.min(columnsMax, tiles);
  const factor = Math.min(1, limits.storyboardTilePx / Math.max(width, height));
  return {
    tiles,
    columns,
    rows: Math.ceil(tiles / columns),
    tileWidth: Math.max(1, Math.round(width * factor)),
    tileHeight: Math.max(1, Math.round(height * factor)),
    intervalMs,
  };
}
