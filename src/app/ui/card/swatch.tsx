import type { CSSProperties } from 'react';
import styles from './swatch.module.css';

/** The colour of a channel (`#RRGGBB`), before its name. */
export function Swatch({ color }: { color: string }) {
  return <span className={styles.swatch} style={{ '--tag': color } as CSSProperties} />;
}
