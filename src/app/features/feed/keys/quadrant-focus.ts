import type { RefObject } from 'react';
import { useLayoutEffect, useRef } from 'react';
import { enterLevel } from '#app/platform/focus/remote-focus.ts';

/** Where the focus goes with the controls: into them by OK, and back to their quadrant when they are left or hide. */
export function useQuadrantFocus(
  section: RefObject<HTMLElement | null>,
  { isActive, isEntered }: { isActive: boolean; isEntered: boolean },
): void {
  const wasEntered = useRef(false);
  useLayoutEffect(() => {
    const quadrant = section.current;
    if (!quadrant) return;
    if (isEntered && !wasEntered.current) enterLevel(quadrant);
    const isLeft = wasEntered.current && !isEntered;
    wasEntered.current = isEntered;
    if ((isLeft || !isActive) && quadrant.contains(document.activeElement)) quadrant.focus({ preventScroll: true });
  }, [section, isActive, isEntered]);
}
