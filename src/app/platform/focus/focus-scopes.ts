import { restoreFocus, trackFocus } from './focus-recovery.ts';
import { focusablesIn, focusedElement, focusOn, isFocusable } from './focusables.ts';

const scopes: HTMLElement[] = [];

/** Where the focus may go now: the topmost open dialog or menu, else the whole page. */
export function currentScope(): HTMLElement {
  return scopes[scopes.length - 1] ?? document.body;
}

/**
 * Keeps the focus inside an element: it starts at `data-focus-first`, or the first that can have it. Returns what
 * releases it, which moves the focus back to the element that had it before, or to the one nearest to that place.
 */
export function holdFocus(scope: HTMLElement): () => void {
  const opener = focusedElement();
  const openerBox = opener?.getBoundingClientRect();
  scopes.push(scope);
  if (!scope.contains(opener)) focusStart(scope);
  return () => {
    const at = scopes.indexOf(scope);
    if (at >= 0) scopes.splice(at, 1);
    const focused = focusedElement();
    if (focused && !scope.contains(focused)) return;
    if (opener && isFocusable(opener) && currentScope().contains(opener)) return focusOn(opener);
    focused?.blur();
    if (opener) trackFocus(opener, openerBox);
    restoreFocus(currentScope());
  };
}

/** Focuses the start of a scope. False when nothing in it is focusable. */
export function focusStart(scope: HTMLElement): boolean {
  const all = focusablesIn(scope);
  const first =
    all.find((element) => element.matches('[data-focus-first]')) ??
    all.find((element) => element.closest('[data-focus-first]')) ??
    all[0];
  if (first) focusOn(first);
  return first !== undefined;
}

/** Tab at an end of a held scope continues at its other end. Returns whether it did. */
export function wrapTab(isBackwards: boolean): boolean {
  const scope = scopes[scopes.length - 1];
  if (!scope) return false;
  const all = focusablesIn(scope);
  const focused = focusedElement();
  const at = focused ? all.indexOf(focused) : -1;
  const isLeaving = at < 0 || at === (isBackwards ? 0 : all.length - 1);
  if (!isLeaving) return false;
  const next = isBackwards ? all[all.length - 1] : all[0];
  if (next) focusOn(next);
  return true;
}
