import styles from './badge.module.css';

/** A mark of one thing among others, as 'This device'. */
export function Badge({ words }: { words: string }) {
  return <span className={styles.badge}>{words}</span>;
}
