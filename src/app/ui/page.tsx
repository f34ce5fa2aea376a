import type { ReactNode, Ref } from 'react';
import styles from './page.module.css';

interface Props {
  title: string;
  /** Notices about the whole app, under the title. */
  notice: ReactNode;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}

/** A view with its title, in the width that text and cards have. */
export function Page({ title, notice, ref, children }: Props) {
  return (
    <main ref={ref} className={styles.page}>
      <div className={styles.width}>
        <h1>{title}</h1>
        {notice && <div className={styles.notice}>{notice}</div>}
        {children}
      </div>
    </main>
  );
}
