import { isFocusable } from './focusables.ts';

/** Containers that remember which of their elements had the focus last: `data-focus-region`, and a level (see `remote-focus.ts`). */
const remembering = '[data-focus-region], [data-focus-level]';

const lastIn = new WeakMap<Element, HTMLElement>();

/** Notes for every container around it that this element has the focus. */
export function remember(element: HTMLElement): void {
  for (let container = outer(element); container; container = outer(container)) lastIn.set(container, element);
}

/** What had the focus last in a container, while it still can have it. */
export function recall(container: Element): HTMLElement | null {
  const last = lastIn.get(container);
  return last && container.contains(last) && isFocusable(last) ? last : null;
}

/** Coming from outside into a region, the focus goes to where it was there. */
export function recallOnEntry(next: HTMLElement, from: HTMLElement): HTMLElement {
  const region = next.closest('[data-focus-region]');
  return (region && !region.contains(from) && recall(region)) || next;
}

function outer(element: Element): Element | null {
  return element.parentElement?.closest(remembering) ?? null;
}
