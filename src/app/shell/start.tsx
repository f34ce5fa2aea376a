import { useEffect } from 'react';
import { focusedElement, focusStart } from '#app/platform/input/focus-scopes.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { Logo } from '#app/ui/logo.tsx';

/**
 * The loading screen. `index.html` has the same markup for the time before the scripts; `styles/start.css` styles both.
 */
export function StartScreen() {
  return (
    <div className="start" role="status">
      <Logo />
      <p>Loading...</p>
    </div>
  );
}

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
