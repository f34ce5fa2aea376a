/** The four players of the feed in reading order, under the names that calls use. */
export const quadrants = ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const;

export type Quadrant = (typeof quadrants)[number];

export function isQuadrant(name: string): name is Quadrant {
  return (quadrants as readonly string[]).includes(name);
}

/** One value for each quadrant. */
export function byQuadrant<Value>(build: (quadrant: Quadrant) => Value): Record<Quadrant, Value> {
  // The inline script of the page runs in engines that lack `Object.fromEntries`.
  const values: Partial<Record<Quadrant, Value>> = {};
  for (const quadrant of quadrants) values[quadrant] = build(quadrant);
  return values as Record<Quadrant, Value>;
}
