import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { currentScope, focusStart } from '#app/platform/focus/focus-scopes.ts';
import { focusedElement } from '#app/platform/focus/focusables.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';

/** The focus starts in what is drawn once the permission is known, unless somebody has moved it meanwhile. */
export function useFocusStart(): RefObject<HTMLElement | null> {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const isFree = currentScope() === document.body && !focusedElement();
    if (main.current && isFree && currentInput() !== 'touch') focusStart(main.current);
  }, []);
  return main;
}
