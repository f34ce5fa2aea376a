import { useEffect, useRef } from 'react';
import { backStack } from '#app/platform/input/back-stack.ts';

/** Escape and Back close what is drawn, and its history entry goes with it. */
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
