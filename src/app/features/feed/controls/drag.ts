import type { BackLayer } from '#app/platform/focus/back-stack.ts';
import { backStack } from '#app/platform/focus/back-stack.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { closeQuadrantMenu } from '../menu/quadrant-menu-store.ts';
import { feed } from '../quadrant/feed-state.ts';
import { canMove, move } from '../quadrant/move.ts';
import { sectionOf } from '../view/quadrant-section.ts';
import { holdControls, releaseControls, showControls } from './controls-store.ts';

/** A drag that has begun. The sections have attributes for their styles: nothing of it goes through React. */
interface Drag {
  from: Quadrant;
  over: Quadrant | null;
  layer: BackLayer;
}

let drag: Drag | null = null;

/** Begins to drag the video of a quadrant, if videos can change places. Back cancels it. */
export function startDrag(quadrant: Quadrant): void {
  cancelDrag();
  if (!canMove(feed)) return;
  closeQuadrantMenu();
  drag = { from: quadrant, over: null, layer: backStack().open(cancelDrag) };
  holdControls();
  mark(quadrant, 'lifted');
}

/**
 * The video follows the pointer, and the quadrant that it would change places with is marked.
 * @param x @param y of the pointer in the window, CSS pixels
 */
export function dragTo(x: number, y: number): void {
  if (!drag) return;
  const section = sectionOf(drag.from);
  const { left, top, width, height } = section?.getBoundingClientRect() ?? new DOMRect();
  section?.style.setProperty('--drag-x', `${x - left - width / 2}px`);
  section?.style.setProperty('--drag-y', `${y - top - height / 2}px`);
  const under = quadrants.find((quadrant) => isIn(quadrant, x, y)) ?? null;
  if (drag.over !== null) mark(drag.over, null);
  drag.over = under === drag.from ? null : under;
  if (drag.over !== null) mark(drag.over, 'target');
}

/** Over another quadrant the two change places; anywhere else the video goes back to its own. */
export function endDrag(): void {
  const { from, over } = drag ?? {};
  cancelDrag();
  if (!from || !over) return;
  move(from, over);
  showControls(over, 'pointer');
}

/** Leaves everything as it was. */
export function cancelDrag(): void {
  if (!drag) return;
  const { from, over, layer } = drag;
  drag = null;
  layer.close();
  mark(from, null);
  if (over !== null) mark(over, null);
  releaseControls();
}

function mark(quadrant: Quadrant, role: 'lifted' | 'target' | null): void {
  const section = sectionOf(quadrant);
  if (role === null) section?.removeAttribute('data-drag');
  else section?.setAttribute('data-drag', role);
}

function isIn(quadrant: Quadrant, x: number, y: number): boolean {
  const box = sectionOf(quadrant)?.getBoundingClientRect();
  return box !== undefined && x >= box.left && x < box.right && y >= box.top && y < box.bottom;
}
