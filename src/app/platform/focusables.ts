const focusable = ['a[href]', 'button', 'input', 'select', 'textarea', '[tabindex]'].map((kind) => `${kind}:not([tabindex="-1"]):not(:disabled)`).join(',');

/** What can be seen and take the focus inside an element, in the order of the document. What is clipped away for screen readers alone is left out. */
export function focusablesIn(scope: Element): HTMLElement[] {
  return [...scope.querySelectorAll<HTMLElement>(focusable)].filter(isSeen);
}

export function isFocusable(element: HTMLElement): boolean {
  return element.isConnected && element.matches(focusable) && isSeen(element);
}

/** `visibility` is inherited, `display: none` leaves no box: so hidden ancestors are known without asking them. */
function isSeen(element: HTMLElement): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 1 && height > 1 && getComputedStyle(element).visibility !== 'hidden' && !element.closest('[inert]');
}

/** Real focus, which screen readers follow, and no more scrolling than it needs. */
export function focusOn(element: HTMLElement): void {
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** The element that has the focus, or null when the page as a whole has it. */
export function focusedElement(): HTMLElement | null {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : null;
}
