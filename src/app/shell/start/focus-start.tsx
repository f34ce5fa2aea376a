import { useEffect } from 'react';
import { focusStart } from '#app/platform/focus/focus-scopes.ts';
import { focusedElement } from '#app/platform/focus/focusables.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';

/** Draws nothing. When a view is shown and nothing has the focus, its first useful element gets it. */
export function FocusStart({ isFeed }: { isFeed: boolean }) {
  useEffect(() => {
    const main = document.querySelector('main');
    if (main && !focusedElement() && isWanted(isFeed)) focusStart(main);
  }, [isFeed]);
  return null;
}

/** Not for touch. On the feed not for a mouse either: the focus would show the controls. */
function isWanted(isFeed: boolean): boolean {
  const input = currentInput();
  return input !== 'touch' && !(isFeed && input === 'pointer');
}
