import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';
import { focusStart } from '#app/platform/focus/focus-scopes.ts';

/** What was pressed is gone with the face that it stood in: the focus starts anew. */
export function useFocusOnChange(face: string): RefObject<HTMLDivElement | null> {
  const content = useRef<HTMLDivElement>(null);
  const shown = useRef(face);
  useEffect(() => {
    if (shown.current !== face && content.current) focusStart(content.current);
    shown.current = face;
  }, [face]);
  return content;
}
