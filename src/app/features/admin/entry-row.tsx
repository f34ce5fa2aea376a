import type { ReactNode } from 'react';
import { currentForm } from '#app/platform/input/screen-form.ts';
import styles from './entry-row.module.css';

interface Props {
  /** A still of a video. */
  poster?: ReactNode;
  label: ReactNode;
  /** Lines of facts under the label. */
  children?: ReactNode;
  /** Buttons; without any the row itself has the focus on a TV, where arrows would pass it by. */
  actions?: ReactNode;
}

/** One entry of a list in Administration. */
export function EntryRow({ poster, label, children, actions }: Props) {
  const isReachedByRow = !actions && currentForm() === 'tv';
  return (
    <li className={styles.row} tabIndex={isReachedByRow ? 0 : undefined}>
      {poster && <div className={styles.poster}>{poster}</div>}
      <div className={styles.words}>
        <p className={styles.label}>{label}</p>
        {children && <div className={styles.facts}>{children}</div>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </li>
  );
}
