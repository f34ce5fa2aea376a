import type { Quadrant } from '#contract/quadrants.ts';

/** The quadrants as a viewer reads them. */
export const quadrantNames: Record<Quadrant, string> = {
  'top-left': 'Top left',
  'top-right': 'Top right',
  'bottom-left': 'Bottom left',
  'bottom-right': 'Bottom right',
};
