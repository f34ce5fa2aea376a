import type { ReactNode } from 'react';
import { act } from 'react';
import type { Root } from 'react-dom/client';
import { createRoot } from 'react-dom/client';
import { afterEach } from 'vitest';

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

const roots: Root[] = [];

afterEach(async () => {
  await act(async () => roots.splice(0).forEach((root) => void root.unmount()));
  document.body.innerHTML = '';
});

/** Draws into an empty document, and waits for what follows from it. */
export async function draw(node: ReactNode): Promise<HTMLElement> {
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  roots.push(root);
  await act(async () => root.render(node));
  return host;
}

/** Does something that the screen follows. Stores tell their views one microtask later. */
export async function settle(change: () => void = () => {}): Promise<void> {
  await act(async () => {
    change();
    await Promise.resolve();
    await Promise.resolve();
  });
}

export function button(name: string): HTMLButtonElement {
  const found = [...document.querySelectorAll('button')].find(
    (one) => (one.getAttribute('aria-label') ?? one.textContent) === name,
  );
  if (!found) throw new Error(`No button '${name}' in: ${document.body.textContent}`);
  return found;
}

export async function press(name: string): Promise<void> {
  await settle(() => button(name).click());
}
