import { useSyncExternalStore } from 'react';
import { matches } from '../platform/capabilities.ts';

/** Whether the window is too narrow for two columns, as the style sheets have it. */
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
