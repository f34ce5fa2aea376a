const focusable = ['a[href]', 'button', 'input', 'select', 'textarea', '[tabindex]']
  .map((kind) => `${kind}:not([tabindex="-1"]):not(:disabled)`)
  .join(',');

/**
 * The visible and focusable elements inside `scope`, in document order. What is clipped away for screen readers alone
 * is left out.
 * @param isMeant applied first: to find out whether an element is visible costs more
 */
export function focusablesIn(scope: Element, isMeant = (_element: HTMLElement) => true): HTMLElement[] {
  return [...scope.querySelectorAll<HTMLElement>(focusable)].filter((element) => isMeant(element) && isSeen(element));
}

export function isFocusable(element: HTMLElement): boolean {
  return element.isConnected && element.matches(focusable) && isSeen(element);
}

/** `visibility` is inherited, `display: none` leaves no box: so hidden ancestors need no check of their own. */
function isSeen(element: HTMLElement): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 1 && height > 1 && getComputedStyle(element).visibility !== 'hidden' && !element.closest('[inert]');
}

/**
 * Real focus, which screen readers follow, and minimal scrolling: with the next frame, so that the page is laid out
 * once.
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
