import { useEffect } from 'react';
import { focusStart } from '../platform/focus-scopes.ts';
import { focusedElement } from '../platform/focusables.ts';

/** Draws nothing. When a view has come and nothing has the focus, the first useful thing in it gets it. */
export function FocusStart() {
  useEffect(() => {
    const main = document.querySelector('main');
    if (main && !focusedElement()) focusStart(main);
  }, []);
  return null;
}
