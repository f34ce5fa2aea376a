import { currentForm } from '#app/platform/input/screen-form.ts';
import { closeMenu, isCovered, navigation, openMenu } from '#app/state/navigation.ts';
import { limits } from '#contract/limits.ts';
import { hasSideMenu } from '../remote.ts';

/**
 * §2 Side menu: opens it when the pointer or a touch is near the left edge, closes it when the pointer is far. Returns
 * a function that stops it.
 */
export function watchMenuPointer(): () => void {
  window.addEventListener('pointermove', handlePointerMove);
  window.addEventListener('pointerdown', handleTouch);
  return () => {
    window.removeEventListener('pointermove', handlePointerMove);
    window.removeEventListener('pointerdown', handleTouch);
  };
}

function handlePointerMove({ pointerType, clientX, buttons }: PointerEvent): void {
  if (pointerType !== 'mouse' || buttons !== 0) return;
  const isTv = currentForm() === 'tv';
  if (isAtEdge(clientX) && mayOpen()) openMenu(isTv ? 'press' : 'hover');
  // Not on TVs: their menu is wider than the limit, and a pointing remote is unsteady.
  else if (clientX > limits.menuClosesBeyondPx && !isTv && navigation.isMenuOpen) closeMenu();
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
