import { currentForm } from '#app/platform/input/screen-form.ts';
import { closeMenu, isCovered, navigation, openMenu } from '#app/state/navigation.ts';
import { limits } from '#contract/limits.ts';
import { hasSideMenu } from '../remote.ts';

/** §2 Side menu: it comes when the pointer nears the left edge, or a finger touches there, and leaves when the pointer is further away. */
export function watchMenuPointer(): () => void {
  window.addEventListener('pointermove', hearMove);
  window.addEventListener('pointerdown', hearTouch);
  return () => {
    window.removeEventListener('pointermove', hearMove);
    window.removeEventListener('pointerdown', hearTouch);
  };
}

function hearMove({ pointerType, clientX, buttons }: PointerEvent): void {
  if (pointerType !== 'mouse' || buttons !== 0) return;
  const isTv = currentForm() === 'tv';
  if (isAtEdge(clientX) && mayOpen()) openMenu(isTv ? 'press' : 'hover');
  // A TV's menu is wider than that, and its pointing remote shakes.
  else if (clientX > limits.menuClosesBeyondPx && !isTv && navigation.isMenuOpen) closeMenu();
}

function hearTouch({ pointerType, clientX }: PointerEvent): void {
  if (pointerType !== 'mouse' && isAtEdge(clientX) && mayOpen()) openMenu();
}

function isAtEdge(x: number): boolean {
  return x <= limits.menuOpensWithinPx;
}

function mayOpen(): boolean {
  return hasSideMenu() && !isCovered();
}
