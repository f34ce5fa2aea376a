/** The four players of the feed, in reading order. The names are the wire's own. */
export const quadrants = ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const;

export type Quadrant = (typeof quadrants)[number];

export function isQuadrant(name: string): name is Quadrant {
  return (quadrants as readonly string[]).includes(name);
}
