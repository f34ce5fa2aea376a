import type { ReactNode } from 'react';
import styles from './rows.module.css';

interface Props {
  label: string;
  value?: string | null | undefined;
  /** Buttons of the row. */
  children?: ReactNode;
}

/** One fact of the account. */
export function Row({ label, value, children }: Props) {
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <p className={styles.label}>
          <bdi>{label}</bdi>
        </p>
        {value && (
          <p className={styles.value}>
            <bdi>{value}</bdi>
          </p>
        )}
      </div>
      {children}
    </li>
  );
}
