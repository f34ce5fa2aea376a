import { focusStart } from '../platform/focus/focus-scopes.ts';
import styles from './skip-link.module.css';

/** The first stop of the Tab key: past the menu, to the view. */
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
