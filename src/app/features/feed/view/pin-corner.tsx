import styles from './pin-corner.module.css';

/** The inner corner of a pinned quadrant, turned over. Four of them draw the logo's diamond. */
export function PinCorner() {
  return (
    <svg className={styles.corner} viewBox="0 0 32 32" aria-hidden="true">
      <path d="M32 0V32H0Z" />
      <path className={styles.flap} d="M0 32 32 0H3a3 3 0 0 0-3 3Z" />
      <path className={styles.edge} d="M0 32 32 0" />
    </svg>
  );
}
