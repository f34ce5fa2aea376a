import { backStack } from '../platform/input/back-stack.ts';
import type { Direction } from '../platform/input/focus-geometry.ts';
import { focusEdge, handleFocusKey, startPointerFocus, startRemoteFocus } from '../platform/input/remote-focus.ts';
import { isBackKey, registerRemoteKeys, remoteKeyOf } from '../platform/input/remote-keys.ts';
import { currentForm } from '../platform/input/screen-form.ts';
import { closeMenu, navigation, openMenu } from '../state/navigation.ts';
import { mayOpenMenu } from './menu/menu.tsx';

/** Handles the arrow, Back and Menu keys on every screen. Returns a function that stops it. */
export function watchRemote(): () => void {
  registerRemoteKeys();
  const stops = [startRemoteFocus(), startPointerFocus(), focusEdge.listen(handleEdge)];
  window.addEventListener('keydown', handleKey);
  return () => {
    window.removeEventListener('keydown', handleKey);
    for (const stop of stops) stop();
  };
}

/** Handles one key of those that `watchRemote` listens to. */
export function handleRemoteKey(event: KeyboardEvent): void {
  handleFocusKey(event);
  handleKey(event);
}

function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented) return;
  const isTv = currentForm() === 'tv';
  const isTaken = isBackKey(event, isTv) ? backStack().goBack() : isTv && remoteKeyOf(event) === 'menu' && toggleMenu();
  if (isTaken) event.preventDefault();
}

/** §2 Forms: Left opens the menu when nothing is further left, and Right closes it. */
function handleEdge(direction: Direction): void {
  if (direction === 'right' && navigation.isMenuOpen) closeMenu();
  if (direction === 'left' && mayOpenMenu()) openMenu();
}

function toggleMenu(): boolean {
  if (navigation.isMenuOpen) closeMenu();
  else if (mayOpenMenu()) openMenu();
  return true;
}
