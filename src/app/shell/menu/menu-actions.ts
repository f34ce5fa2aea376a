import { currentForm } from '#app/platform/input/screen-form.ts';
import { claimPointer } from '#app/start/handover.ts';
import type { ViewName } from '#app/state/navigation.ts';
import { closeMenu, isCovered, navigation, openMenu, openView } from '#app/state/navigation.ts';
import { limits } from '#contract/limits.ts';
import { hasSideMenu } from '../remote.ts';

/** Closes the menu and opens the view in one step, so that the history keeps its length. */
export function chooseView(view: ViewName): void {
  closeMenu();
  openView(view);
}

/**
 * §2 Side menu: opens it when the mouse or a touch is near the left edge, closes it when the mouse
 * is far away. A mouse already resting at the edge opens it at once. Returns a function that stops
 * it.
 */
export function watchMenuPointer(): () => void {
  window.addEventListener('pointermove', handlePointerMove);
  window.addEventListener('pointerdown', handleTouch);
  const restingX = claimPointer();
  if (restingX !== null) followMouse(restingX);
  return () => {
    window.removeEventListener('pointermove', handlePointerMove);
    window.removeEventListener('pointerdown', handleTouch);
  };
}

function handlePointerMove({ pointerType, clientX, buttons }: PointerEvent): void {
  if (pointerType === 'mouse' && buttons === 0) followMouse(clientX);
}

function followMouse(x: number): void {
  const isTv = currentForm() === 'tv';
  if (isAtEdge(x) && mayOpen()) openMenu(isTv ? 'press' : 'hover');
  // TVs are excluded: their menu is wider than the limit, and a pointing remote is unsteady.
  else if (x > limits.menuClosesBeyondPx && !isTv && navigation.isMenuOpen) closeMenu();
}

function handleTouch({ pointerType, clientX }: PointerEvent): void {
  if (pointerType !== 'mouse' && isAtEdge(clientX) && mayOpen()) openMenu();
}

function isAtEdge(x: number): boolean {
  return x <= limits.menuOpensWithinPx;
}

function mayOpen(): boolean {
  return hasSideMenu() && !isCovered();
}
