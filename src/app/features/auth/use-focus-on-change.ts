import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { focusStart } from '#app/platform/input/focus-scopes.ts';

/** When the dialog shows another face, the pressed button is gone: the focus moves to the start of the new one. */
export function useFocusOnChange(face: string): RefObject<HTMLDivElement | null> {
  const content = useRef<HTMLDivElement>(null);
  const shown = useRef(face);
  useEffect(() => {
    if (shown.current !== face && content.current) focusStart(content.current);
    shown.current = face;
  }, [face]);
  return content;
}
