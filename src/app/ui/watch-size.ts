import { useSyncExternalStore } from 'react';
import { matches } from '../platform/capabilities.ts';

/**
 * Reports each change of an element's size; without `ResizeObserver` (Chromium 64, Safari 13.1,
 * Firefox 69) those of the window. Returns a function that stops it.
 */
export function watchSize(host: HTMLElement, onChange: () => void): () => void {
  if (!('ResizeObserver' in window)) {
    addEventListener('resize', onChange);
    return () => removeEventListener('resize', onChange);
  }
  const observer = new ResizeObserver(onChange);
  observer.observe(host);
  return () => observer.disconnect();
}

/** Whether the window is too narrow for two columns, as in the style sheets. */
export function useNarrow(): boolean {
  return useSyncExternalStore(listenToResize, isNarrow);
}

function isNarrow(): boolean {
  return matches('(max-width: 899px)');
}

function listenToResize(onChange: () => void): () => void {
  window.addEventListener('resize', onChange);
  return () => window.removeEventListener('resize', onChange);
}
