import { isTyping } from '../input/remote-keys.ts';
import { currentForm } from '../input/screen-form.ts';
import { currentScope } from './focus-scopes.ts';
import { isFocusable } from './focusables.ts';

/**
 * For the pointing remote of a TV: what it is moved onto gets the focus, so that arrows continue from there. Inside a
 * level that was not entered, the level itself gets it. Returns what stops it.
 */
export function startPointerFocus(): () => void {
  let pointedAt: EventTarget | null = null;
  let position = '';
  // Only real moves: when the page changes under a resting pointer, browsers raise `pointerover` there, and some a
  // `pointermove` to the same position.
  const onMove = ({ pointerType, target, screenX, screenY }: PointerEvent) => {
    const lastPosition = position;
    position = `${screenX} ${screenY}`;
    if (pointerType !== 'mouse' || target === pointedAt || position === lastPosition) return;
    pointedAt = target;
    if (currentForm() === 'tv' && target instanceof Element) focusPointed(target);
  };
  document.addEventListener('pointermove', onMove);
  return () => document.removeEventListener('pointermove', onMove);
}

function focusPointed(target: Element): void {
  const pointed = focusableAt(target);
  // A text field would open the TV's on-screen keyboard.
  if (pointed && !pointed.contains(document.activeElement) && !isTyping(pointed))
    pointed.focus({ preventScroll: true });
}

function focusableAt(target: Element): HTMLElement | null {
  const scope = currentScope();
  const level = target.closest<HTMLElement>('[data-focus-level]');
  let element = level ?? target;
  while (element !== scope && element.parentElement && !(element instanceof HTMLElement && isFocusable(element)))
    element = element.parentElement;
  return element instanceof HTMLElement && element !== scope && scope.contains(element) ? element : null;
}
