import { restoreFocus, trackFocus } from './focus-recovery.ts';
import { focusablesIn, focusedElement, focusOn, isFocusable } from './focusables.ts';

const scopes: HTMLElement[] = [];

/** Where the focus may go now: the topmost open dialog or menu, else the whole page. */
export function currentScope(): HTMLElement {
  return scopes[scopes.length - 1] ?? document.body;
}

/**
 * Keeps the focus inside an element: it starts at `data-focus-first`, or the first that can have it. Returns what releases it, which gives the focus
 * back to whatever had it before, or to what stands nearest to its place.
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

/** Whether something inside `scope` could take the focus, which it then has. */
export function focusStart(scope: HTMLElement): boolean {
  const all = focusablesIn(scope);
  const first = all.find((element) => element.matches('[data-focus-first]')) ?? all.find((element) => element.closest('[data-focus-first]')) ?? all[0];
  if (first) focusOn(first);
  return first !== undefined;
}

/** Tab at an end of a held scope goes on at its other end. Returns whether it did. */
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
