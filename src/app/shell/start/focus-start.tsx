import { useEffect } from 'react';
import { focusStart } from '#app/platform/focus/focus-scopes.ts';
import { focusedElement } from '#app/platform/focus/focusables.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';

/** Draws nothing. When a view has come and nothing has the focus, the first useful thing in it gets it. */
export function FocusStart({ isFeed }: { isFeed: boolean }) {
  useEffect(() => {
    const main = document.querySelector('main');
    if (main && !focusedElement() && isWanted(isFeed)) focusStart(main);
  }, [isFeed]);
  return null;
}

/** A finger has no use for it, and on the feed it would wake controls that a mouse has not asked for either. */
function isWanted(isFeed: boolean): boolean {
  const input = currentInput();
  return input !== 'touch' && !(isFeed && input === 'pointer');
}
