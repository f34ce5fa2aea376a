import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';

/** One value for each quadrant. */
export function byQuadrant<Value>(build: (quadrant: Quadrant) => Value): Record<Quadrant, Value> {
  return Object.fromEntries(quadrants.map((quadrant) => [quadrant, build(quadrant)])) as Record<Quadrant, Value>;
}
