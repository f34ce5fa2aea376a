import styles from './squares-loader.module.css';

/** Four squares, animated in four steps; not animated under reduced motion. The first has the quadrant's colour. */
export function SquaresLoader({ className }: { className?: string | undefined }) {
  return (
    <svg className={`${styles.loader} ${className ?? ''}`} viewBox="0 0 22 22" aria-hidden="true">
      <rect className={styles.identity} x="1" y="1" width="9" height="9" rx="1.5" />
      <rect x="12" y="1" width="9" height="9" rx="1.5" />
      <rect x="12" y="12" width="9" height="9" rx="1.5" />
      <rect x="1" y="12" width="9" height="9" rx="1.5" />
    </svg>
  );
}
