import type { ReactNode } from 'react';
import styles from './bulk-bar.module.css';

interface Props {
  /** How many are selected. */
  sentence: string;
  /** What can be done with them. */
  children: ReactNode;
}

/** Between tools and list while something is selected. */
export function BulkBar({ sentence, children }: Props) {
  return (
    <section className={styles.bar} aria-label="Selection">
      <p role="status" className={styles.sentence}>
        {sentence}
      </p>
      <div className={styles.buttons}>{children}</div>
    </section>
  );
}
