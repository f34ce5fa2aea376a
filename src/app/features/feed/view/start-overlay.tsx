import { Logo } from '#app/ui/logo.tsx';
import styles from './start-overlay.module.css';

/** The whole screen is one button, until the first tap. It has the focus, so that Enter, Space or OK start as well. */
export function StartOverlay({ onStart }: { onStart: () => void }) {
  return (
    // biome-ignore lint/a11y/noAutofocus: the only control on this screen
    <button type="button" className={styles.overlay} onClick={onStart} autoFocus>
      <span className={styles.logo} aria-hidden="true">
        <Logo />
      </span>
      <span className={styles.words}>Tap anywhere to play all videos</span>
    </button>
  );
}
