import { focusStart } from '../platform/focus/focus-scopes.ts';
import styles from './skip-link.module.css';

/** First in the tab order: skips the menu. */
export function SkipLink() {
  return (
    <button type="button" className={styles.link} onClick={skip}>
      Skip to content
    </button>
  );
}

function skip(): void {
  const main = document.querySelector('main');
  if (main) focusStart(main);
}
