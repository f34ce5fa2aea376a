import { useEffect } from 'react';
import { focusedElement, focusStart } from '#app/platform/input/focus-scopes.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { Logo } from '#app/ui/logo.tsx';

/**
 * The loading screen. `index.html` has the same markup until the scripts run; `styles/start.css`
 * styles both.
 */
export function StartScreen() {
  return (
    <div className="start" role="status">
      <Logo />
      <p>Loading...</p>
    </div>
  );
}

/**
 * Renders nothing. When a view opens without a focused element, it focuses the view's first useful
 * one.
 */
export function FocusStart({ isFeed }: { isFeed: boolean }) {
  useEffect(() => {
    const main = document.querySelector('main');
    if (main && !focusedElement() && isWanted(isFeed)) focusStart(main);
  }, [isFeed]);
  return null;
}

/**
 * The focus is not moved for touch, and on the feed not for a mouse: it would show the controls.
 */
function isWanted(isFeed: boolean): boolean {
  const input = currentInput();
  return input !== 'touch' && !(isFeed && input === 'pointer');
}
