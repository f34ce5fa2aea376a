import styles from './swatch.module.css';

/** A channel's colour. */
export function Swatch({ color }: { color: string }) {
  return <span className={styles.swatch} style={{ background: color }} />;
}
