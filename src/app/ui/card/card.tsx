import type { ReactNode } from 'react';
import { useId } from 'react';
import styles from './card.module.css';

interface Props {
  title: string;
  /** At the end of the title line. */
  end?: ReactNode;
  children: ReactNode;
  /** A button that concerns all of it. */
  foot?: ReactNode;
}

/** A part of a view with its heading. */
export function Card({ title, end, children, foot }: Props) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {end}
      </div>
      {children}
      {foot && <div className={styles.foot}>{foot}</div>}
    </section>
  );
}
