import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';

/** One value for each quadrant. */
export function byQuadrant<Value>(build: (quadrant: Quadrant) => Value): Record<Quadrant, Value> {
  // The inline script of the page runs in engines that lack `Object.fromEntries`.
  const values: Partial<Record<Quadrant, Value>> = {};
  for (const quadrant of quadrants) values[quadrant] = build(quadrant);
  return values as Record<Quadrant, Value>;
}
