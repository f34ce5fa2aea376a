import type { Quadrant } from '#contract/quadrants.ts';

export type MarkerShape = 'circle' | 'square' | 'triangle' | 'diamond';

/** Beside the colour of a quadrant, what tells its line from the others (§3 of the design language). */
export const markerOf: Record<Quadrant, MarkerShape> = {
  'top-left': 'circle',
  'top-right': 'square',
  'bottom-left': 'triangle',
  'bottom-right': 'diamond',
};

/** Corners around the middle, with a radius of 1. */
const corners: Record<Exclude<MarkerShape, 'circle'>, readonly (readonly [number, number])[]> = {
  square: [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  triangle: [
    [0, -1.1],
    [1.1, 0.9],
    [-1.1, 0.9],
  ],
  diamond: [
    [0, -1.25],
    [1.25, 0],
    [0, 1.25],
    [-1.25, 0],
  ],
};

/** Adds the shape to the path of `context`, around `x`, `y`. */
export function traceMarker(context: CanvasRenderingContext2D, shape: MarkerShape, x: number, y: number, r: number) {
  context.beginPath();
  if (shape === 'circle') context.arc(x, y, r, 0, 2 * Math.PI);
  else for (const [dx, dy] of corners[shape]) context.lineTo(x + dx * r, y + dy * r);
  context.closePath();
}
