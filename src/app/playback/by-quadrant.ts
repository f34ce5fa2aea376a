import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';

/** One value for each quadrant. */
export function byQuadrant<Value>(build: (quadrant: Quadrant) => Value): Record<Quadrant, Value> {
  // `Object.fromEntries` is not there yet when the script of the page itself runs.
  const values: Partial<Record<Quadrant, Value>> = {};
  for (const quadrant of quadrants) values[quadrant] = build(quadrant);
  return values as Record<Quadrant, Value>;
}
