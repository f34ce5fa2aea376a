import type { Quadrant } from '#contract/quadrants.ts';

/** Where a quadrant is drawn, while the feed is on screen. */
export function sectionOf(quadrant: Quadrant): HTMLElement | null {
  return document.querySelector<HTMLElement>(`section[data-quadrant="${quadrant}"]`);
}
