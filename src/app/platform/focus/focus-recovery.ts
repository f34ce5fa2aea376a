import type { Box } from './focus-geometry.ts';
import { focusablesIn, focusedElement, focusOn, isFocusable } from './focusables.ts';

const nowhere: Box = { left: 0, top: 0, right: 0, bottom: 0 };

let last: { element: HTMLElement; box: Box } | null = null;

/**
 * Records the focused element and its box, so that a neighbour can be found when it vanishes. Without a box it is
 * measured with the next frame, which lays out anyway.
 */
export function trackFocus(element: HTMLElement, box?: Box): void {
  const noted = { element, box: box ?? last?.box ?? nowhere };
  last = noted;
  if (box) return;
  requestAnimationFrame(() => {
    if (isFocusable(element)) noted.box = element.getBoundingClientRect();
  });
}

/**
 * With keys and remotes the page always has a focused element: when that one vanishes, its nearest neighbour gets the
 * focus.
 */
export function restoreFocus(scope: Element): void {
  if (!last || focusedElement() || isFocusable(last.element) || !isByKeys()) return;
  const next = nearestTo(last.box, focusablesIn(scope));
  if (next) focusOn(next);
}

/** Touch and pointer need no focus, and a text field that got it would open a keyboard. */
function isByKeys(): boolean {
  const { input } = document.documentElement.dataset;
  return input === 'key' || input === 'remote';
}

function nearestTo(box: Box, elements: readonly HTMLElement[]): HTMLElement | undefined {
  const distances = elements.map((element) => distanceBetween(box, element.getBoundingClientRect()));
  return elements[distances.indexOf(Math.min(...distances))];
}

/** From the middle of one to the nearest point of the other; the distance of the middles breaks ties. */
function distanceBetween(from: Box, to: Box): number {
  const x = (from.left + from.right) / 2;
  const y = (from.top + from.bottom) / 2;
  const outside = Math.hypot(Math.max(to.left - x, 0, x - to.right), Math.max(to.top - y, 0, y - to.bottom));
  return outside + Math.hypot((to.left + to.right) / 2 - x, (to.top + to.bottom) / 2 - y) / 100;
}
