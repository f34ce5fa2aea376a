import { isFocusable } from './focusables.ts';

/**
 * Containers that remember which of their elements had the focus last: `data-focus-region`, and a level (see
 * `remote-focus.ts`).
 */
const remembering = '[data-focus-region], [data-focus-level]';

const lastIn = new WeakMap<Element, HTMLElement>();

/** Stores this element as the last focused one of every container around it. */
export function remember(element: HTMLElement): void {
  for (let container = outer(element); container; container = outer(container)) lastIn.set(container, element);
}

/** The last focused element of a container, while it is still focusable. */
export function recall(container: Element): HTMLElement | null {
  const last = lastIn.get(container);
  return last && container.contains(last) && isFocusable(last) ? last : null;
}

/** The element to focus instead of `next`: on entering a region from outside, the one that had the focus there last. */
export function recallOnEntry(next: HTMLElement, from: HTMLElement): HTMLElement {
  const region = next.closest('[data-focus-region]');
  return (region && !region.contains(from) && recall(region)) || next;
}

function outer(element: Element): Element | null {
  return element.parentElement?.closest(remembering) ?? null;
}
