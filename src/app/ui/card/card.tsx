import type { ReactNode } from 'react';
import { useId } from 'react';
import { currentForm } from '#app/platform/input/screen-form.ts';
import styles from './card.module.css';

interface Props {
  title: string;
  /** Before the title. */
  mark?: ReactNode;
  /** At the end of the title line. */
  end?: ReactNode;
  children: ReactNode;
  /** A button that concerns all of it. */
  foot?: ReactNode;
  /** It is only read: on a TV it has the focus itself, where arrows would pass it by. */
  isReadOnly?: boolean;
}

/** A part of a view with its heading. */
export function Card({ title, mark, end, children, foot, isReadOnly = false }: Props) {
  const id = useId();
  const isReached = isReadOnly && currentForm() === 'tv';
  return (
    <section className={styles.card} aria-labelledby={id} tabIndex={isReached ? 0 : undefined}>
      <div className={styles.head}>
        {mark && <div className={styles.mark}>{mark}</div>}
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
