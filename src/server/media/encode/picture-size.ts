import type { Sides } from '../tracks.ts';

export interface SizeLimit {
  /** Of the shorter side. */
  lines: number;
  /** Of 16×16 pixels. Neither side has more than the root of eight times as many. ISO 14496-10, A.3.1 and table A-1. */
  macroblocks: number;
}

/** Never larger, in the same shape, with sides that colours of half their size divide. */
export function fitSize({ width, height }: Sides, { lines, macroblocks }: SizeLimit): Sides {
  const byLines = Math.min(1, lines / Math.min(width, height));
  const byArea = Math.min(1, Math.sqrt(macroblocks / countMacroblocks({ width, height })));
  const bySide = (16 * Math.floor(Math.sqrt(8 * macroblocks))) / Math.max(width, height);
  for (let factor = Math.min(byLines, byArea, bySide); ; factor *= 0.98) {
    const size = { width: toEven(width, factor), height: toEven(height, factor) };
    // Whole blocks cover a little more than the picture.
    if (countMacroblocks(size) <= macroblocks || factor < 0.01) return size;
  }
}

export function countMacroblocks({ width, height }: Sides): number {
  return Math.ceil(width / 16) * Math.ceil(height / 16);
}

function toEven(side: number, factor: number): number {
  const largest = side - (side % 2);
  return Math.max(2, Math.min(largest, 2 * Math.round((side * factor) / 2)));
}
