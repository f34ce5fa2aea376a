import type { ReactNode, Ref } from 'react';
import styles from './page.module.css';

interface Props {
  title: string;
  /** Notices about the whole app, under the title. */
  notice: ReactNode;
  ref?: Ref<HTMLElement>;
  /** Tabs of the pages that it belongs to, above the title. */
  tabs?: ReactNode;
  /** Beside the title. */
  mark?: ReactNode;
  /** A line under the title. */
  lead?: ReactNode;
  /** At the end of the title's line. */
  end?: ReactNode;
  children: ReactNode;
}

/** A view with its title, in the width that text and cards have. */
export function Page({ title, notice, ref, tabs, mark, lead, end, children }: Props) {
  return (
    <main ref={ref} className={styles.page}>
      <div className={styles.width}>
        {tabs}
        <div className={styles.head}>
          <div className={styles.names}>
            {mark ? (
              <div className={styles.marked}>
                <h1>{title}</h1>
                {mark}
              </div>
            ) : (
              <h1>{title}</h1>
            )}
            {lead && <p className={styles.lead}>{lead}</p>}
          </div>
          {end}
        </div>
        {notice && <div className={styles.notice}>{notice}</div>}
        {children}
      </div>
    </main>
  );
}
