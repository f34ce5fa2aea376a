/** The four players of the feed in reading order, under the names that calls use. */
export const quadrants = ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const;

export type Quadrant = (typeof quadrants)[number];

export function isQuadrant(name: string): name is Quadrant {
  return (quadrants as readonly string[]).includes(name);
}
