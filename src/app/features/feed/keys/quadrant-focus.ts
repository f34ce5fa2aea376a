import { useLayoutEffect, useRef } from 'react';
import { enterLevel } from '#app/platform/focus/remote-focus.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { controls } from '../controls/controls-store.ts';
import { useDerived } from '../view/derived-hook.ts';
import { sectionOf } from '../view/quadrant-section.ts';

/**
 * Where the focus goes with the controls: into them by OK, also when they are drawn after it, and back to their
 * quadrant when they are left or hide.
 */
export function useQuadrantFocus(quadrant: Quadrant, isActive: boolean): void {
  const isEntered = useDerived(controls, () => controls.entered === quadrant);
  const wasEntered = useRef(false);
  useLayoutEffect(() => {
    const section = sectionOf(quadrant);
    if (!section) return;
    if (isEntered && !wasEntered.current) enterLevel(section);
    const isLeft = wasEntered.current && !isEntered;
    wasEntered.current = isEntered;
    if ((isLeft || !isActive) && section.contains(document.activeElement)) section.focus({ preventScroll: true });
  }, [quadrant, isActive, isEntered]);
}
