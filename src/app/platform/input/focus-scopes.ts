import type { Box } from './focus-geometry.ts';

const scopes: HTMLElement[] = [];

/** The element that the focus may move in: the topmost open dialog or menu, else the whole page. */
export function currentScope(): HTMLElement {
  return scopes[scopes.length - 1] ?? document.body;
}

/**
 * Keeps the focus inside an element, beginning at `data-focus-first`, or at the first focusable
 * element. Returns a function that releases it, and moves the focus back to the element that had it
 * before, or to the one nearest to that place.
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

/**
 * Focuses the start of a scope. False when nothing in it is focusable, and in a dialog that is still
 * opening: `holdFocus` moves the focus there, after it has recorded the opener.
 */
export function focusStart(scope: HTMLElement): boolean {
  const dialog = scope.closest<HTMLElement>('[aria-modal="true"]');
  if (dialog && !scopes.includes(dialog)) return false;
  const all = focusablesIn(scope);
  const first =
    all.find((element) => element.matches('[data-focus-first]')) ??
    all.find((element) => element.closest('[data-focus-first]')) ??
    all[0];
  if (first) focusOn(first);
  return first !== undefined;
}

/** Continues at the other end when Tab leaves a held scope. Returns whether it did. */
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

const nowhere: Box = { left: 0, top: 0, right: 0, bottom: 0 };

let last: { element: HTMLElement; box: Box } | null = null;

/**
 * Records the focused element and its box, so that a neighbour can be found when it disappears.
 * Without a box it is measured in the next frame, which computes the layout anyway.
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
 * Restores a lost focus. When the user has keys or a remote, the page always has a focused element:
 * if that one disappears, its nearest neighbour gets the focus. On a TV the first control of a view
 * that had none gets it.
 */
export function restoreFocus(scope: HTMLElement): void {
  if (focusedElement() || !isByKeys()) return;
  if (!last && document.documentElement.dataset.form === 'tv') focusStart(scope.querySelector('main') ?? scope);
  if (!last || isFocusable(last.element)) return;
  const next = nearestTo(last.box, focusablesIn(scope));
  if (next) focusOn(next);
}

/**
 * Whether the user needs a focus. Touch and pointer do not, and a focused text field would open a
 * keyboard.
 */
function isByKeys(): boolean {
  const { input } = document.documentElement.dataset;
  return input === 'key' || input === 'remote';
}

function nearestTo(box: Box, elements: readonly HTMLElement[]): HTMLElement | undefined {
  const distances = elements.map((element) => distanceBetween(box, element.getBoundingClientRect()));
  return elements[distances.indexOf(Math.min(...distances))];
}

/**
 * The distance from the centre of one box to the nearest point of the other; the distance of the
 * centres breaks ties.
 */
function distanceBetween(from: Box, to: Box): number {
  const x = (from.left + from.right) / 2;
  const y = (from.top + from.bottom) / 2;
  const outside = Math.hypot(Math.max(to.left - x, 0, x - to.right), Math.max(to.top - y, 0, y - to.bottom));
  return outside + Math.hypot((to.left + to.right) / 2 - x, (to.top + to.bottom) / 2 - y) / 100;
}

const focusable = ['a[href]', 'button', 'input', 'select', 'textarea', '[tabindex]']
  .map((kind) => `${kind}:not([tabindex="-1"]):not(:disabled)`)
  .join(',');

/**
 * The visible and focusable elements inside `scope`, in document order. Elements that are only
 * visible to screen readers are left out.
 * @param isMeant applied first, as testing for visibility is slower
 */
export function focusablesIn(scope: Element, isMeant = (_element: HTMLElement) => true): HTMLElement[] {
  return [...scope.querySelectorAll<HTMLElement>(focusable)].filter((element) => isMeant(element) && isSeen(element));
}

export function isFocusable(element: HTMLElement): boolean {
  return element.isConnected && element.matches(focusable) && isSeen(element);
}

/**
 * Whether an element is visible. Hidden ancestors need no check of their own: `visibility` is
 * inherited, `display: none` leaves no box.
 */
function isSeen(element: HTMLElement): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 1 && height > 1 && getComputedStyle(element).visibility !== 'hidden' && !element.closest('[inert]');
}

/**
 * Sets the real focus, which screen readers follow, and scrolls as little as needed, in the next
 * frame, so that the page is laid out once.
 */
export function focusOn(element: HTMLElement): void {
  element.focus({ preventScroll: true });
  requestAnimationFrame(() => element.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
}

/** The element that has the focus, or null when the page as a whole has it. */
export function focusedElement(): HTMLElement | null {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null;
}

let locks = 0;

/**
 * Stops the page under a dialog from scrolling, until every caller has called the returned
 * function.
 */
export function lockScroll(): () => void {
  locks += 1;
  mark();
  return () => {
    locks -= 1;
    mark();
  };
}

function mark(): void {
  if (locks > 0) document.documentElement.setAttribute('data-scroll-locked', '');
  else document.documentElement.removeAttribute('data-scroll-locked');
}
