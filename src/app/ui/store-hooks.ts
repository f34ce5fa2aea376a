import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { subscribe } from 'valtio/vanilla';
import { backStack } from '#app/platform/input/back-stack.ts';
import { currentForm, formChanged } from '#app/platform/input/screen-form.ts';
import type { ScreenForm } from '#contract/rules/settings.ts';
import { matches } from '../platform/capabilities.ts';

/** Reads a value from a store; the component renders again only when that value changes. */
export function useDerived<Value extends string | number | boolean | null>(store: object, read: () => Value): Value {
  const listen = useCallback((listener: () => void) => subscribe(store, listener), [store]);
  return useSyncExternalStore(listen, read);
}

/** The current layout; the component renders again when it changes. */
export function useScreenForm(): ScreenForm {
  return useSyncExternalStore(formChanged.listen, currentForm);
}

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

/**
 * Adds a layer to the back stack while the component is mounted: Escape and Back close it, and its
 * history entry is removed with it.
 */
export function useBackLayer(onClose: () => void): void {
  const latest = useRef(onClose);
  useEffect(() => {
    latest.current = onClose;
  }, [onClose]);
  useEffect(() => {
    const layer = backStack().open(() => latest.current());
    return () => layer.close();
  }, []);
}
