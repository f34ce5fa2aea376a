import { currentScope } from './focus-scopes.ts';
import { isFocusable } from './focusables.ts';
import { isTyping } from './remote-keys.ts';
import { currentForm } from './screen-form.ts';

/**
 * The pointing remote of a TV: what it points at has the focus, so that arrows go on from there. Of what a level holds, the level itself gets it,
 * because nobody has gone in. Returns what stops it.
 */
export function followPointer(): () => void {
  document.addEventListener('pointerover', hearPointer);
  return () => document.removeEventListener('pointerover', hearPointer);
}

function hearPointer({ pointerType, target }: PointerEvent): void {
  if (pointerType !== 'mouse' || currentForm() !== 'tv' || !(target instanceof Element)) return;
  const pointed = focusableAt(target);
  // A text field would call up the keyboard of the TV.
  if (pointed && !pointed.contains(document.activeElement) && !isTyping(pointed)) pointed.focus({ preventScroll: true });
}

function focusableAt(target: Element): HTMLElement | null {
  const scope = currentScope();
  const level = target.closest<HTMLElement>('[data-focus-level]');
  let element = level ?? target;
  while (element !== scope && element.parentElement && !(element instanceof HTMLElement && isFocusable(element))) element = element.parentElement;
  return element instanceof HTMLElement && element !== scope && scope.contains(element) ? element : null;
}
